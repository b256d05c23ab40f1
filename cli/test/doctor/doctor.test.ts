import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rules } from '../../src/doctor/rules/index.js';
import { terminalTricks } from '../hostile.js';
import { inProcess, lifesignCli } from '../run.js';
import { faults, good, type Kind, planted } from './faults.js';

const root = join(import.meta.dirname, '../../..');
let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-doctor-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Report {
  readonly files: number;
  readonly containers: number;
  readonly findings: readonly {
    rule: string;
    file: string;
    line: number;
    sentence: string;
    write: string[];
  }[];
}

async function diagnose(
  text: string,
  file = '-',
  ...args: string[]
): Promise<Report & { code: number | null }> {
  if (file !== '-') writeFileSync(join(cwd, file), text);
  const stdin = (async function* () {
    yield text;
  })();
  const { code, stdout, stderr } = await inProcess(['doctor', file, '--json', '--strict', ...args], {
    cwd,
    stdin,
  });
  expect(stderr).toBe('');
  return { code, ...JSON.parse(stdout) };
}

describe('nothing is found in what is well made', () => {
  test.each(['deploy', 'examples/container'])('%s', async (directory) => {
    const { code, stdout } = await inProcess(['doctor', directory], { cwd: root });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^\d+ files?, \d containers?: nothing found\n$/),
    ]);
  });

  const fixtures = join(import.meta.dirname, 'well-made');
  test.each(readdirSync(fixtures))('%s', async (file) => {
    const { code, findings, containers } = await diagnose(readFileSync(join(fixtures, file), 'utf8'), file);
    expect(findings).toEqual([]);
    expect(containers).toBeGreaterThan(0);
    expect(code).toBe(0);
  });

  test.each(Object.keys(good) as Kind[])('%s on standard input: told by its content', async (kind) => {
    const { findings, containers } = await diagnose(good[kind].text);
    expect(findings).toEqual([]);
    expect(containers).toBeGreaterThan(0);
  });
});

describe.each(Object.entries(faults))('%s is found, and nothing else', (rule, kinds) => {
  const cases = Object.entries(kinds).flatMap(([kind, list]) =>
    (list ?? []).map((edits, index) => [kind as Kind, index + 1, edits] as const),
  );
  test.each(cases)('%s, fault %i', async (kind, _, edits) => {
    const text = planted(kind, edits);
    const { code, findings } = await diagnose(text, good[kind].file);
    expect(findings.map((finding) => finding.rule)).toEqual([rule]);
    const [finding] = findings;
    expect(finding?.write.join('')).not.toBe('');
    expect(finding?.line).toBeGreaterThan(0);
    expect(finding?.line).toBeLessThanOrEqual(text.split('\n').length);
    expect(code).toBe(1);
    expect((await diagnose(text, good[kind].file, '--skip', rule)).findings).toEqual([]);
  });
});

test('every rule has faults planted for it, and a heading in the docs', () => {
  const page = readFileSync(join(root, 'docs/doctor.md'), 'utf8');
  const headings = [...page.matchAll(/^## ([a-z-]+)$/gm)].map(([, id]) => id);
  expect(Object.keys(faults).toSorted()).toEqual(rules.map(({ id }) => id).toSorted());
  expect(headings).toEqual(rules.map(({ id }) => id));
});

test('the line of a finding is where the fault is', async () => {
  const text = planted('kubernetes', faults['grace-period']?.kubernetes?.[0] ?? []);
  const { findings } = await diagnose(text, 'deployment.yaml');
  const expected = text.split('\n').findIndex((line) => line.includes('terminationGracePeriodSeconds')) + 1;
  expect(findings[0]).toMatchObject({ file: 'deployment.yaml', line: expected });
});

describe('input of others', () => {
  test.each([
    ['nothing.yaml', 'a: 1\n', 'it is not a Kubernetes'],
    ['fly.toml', "app = 'shop'\n\n[env]\nPORT = '8000'\n", 'it is not a Kubernetes'],
    ['render.yaml', 'services:\n  - type: web\n    healthCheckPath: /readyz\n', 'it is not a Kubernetes'],
    ['broken.yaml', 'a: [1\n', 'broken.yaml cannot be read: line 2'],
    ['template.yaml', 'kind: {{ .Values.kind }}\napiVersion: {{ x }}\n', 'The input describes no container'],
    ['templates/web.yaml', 'a: {{ b }}\n', 'it is not rendered (of a Helm template, render it first'],
    ['holes.yaml', 'kind: {{ .Values.kind\n  - a: }\n', 'helm template . | lifesign-cli doctor -'],
    ['broken.hcl', 'job "x" {\n  group "y" {\n', 'line 3: unexpected end of file'],
    ['Dockerfile', 'RUN x\n', 'it has no FROM'],
    ['missing.yaml', undefined, 'missing.yaml cannot be read'],
  ])('%s', async (file, text, message) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    if (text !== undefined) writeFileSync(join(cwd, file), text);
    const { code, stderr, stdout } = await inProcess(['doctor', file], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('a rule that does not exist', async () => {
    const { code, stderr } = await inProcess(['doctor', 'deploy', '--skip', 'nope'], { cwd: root });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Unknown rule "nope"; the rules are liveness-checks,'),
    ]);
  });

  test('an alias of aliases takes no memory, a deep nest no stack', async () => {
    const aliases = Array.from(
      { length: 40 },
      (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]`,
    ).join('\n');
    const bomb = `kind: Deployment\napiVersion: v1\na0: &a0 [x]\n${aliases}\nspec: { template: { spec: { containers: *a40 } } }\n`;
    writeFileSync(join(cwd, 'bomb.yaml'), bomb);
    writeFileSync(join(cwd, 'deep.yaml'), `a: ${'['.repeat(50_000)}`);
    writeFileSync(join(cwd, 'deep.hcl'), 'job "x" { a {'.repeat(50_000));
    for (const file of ['bomb.yaml', 'deep.yaml', 'deep.hcl']) {
      expect((await inProcess(['doctor', file], { cwd })).code).toBeLessThanOrEqual(2);
    }
  });

  test('names of others reach no terminal, and no password is shown', async () => {
    const text = planted('compose', [
      ['shop:', `${JSON.stringify(terminalTricks)}:`],
      ['user: ', 'command: npm\n    x: '],
    ]);
    writeFileSync(join(cwd, 'tricks.yaml'), text);
    const { stdout } = await inProcess(['doctor', 'tricks.yaml'], { cwd });
    expect(stdout).toContain('signals-swallowed');
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  test('any change of a good file ends with a verdict', async () => {
    const kinds = Object.keys(good) as Kind[];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...kinds),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(
          '',
          '{',
          '}',
          '[',
          ']',
          '"',
          "'",
          ':',
          '- ',
          '\n',
          '\\',
          '<<EOT\n',
          '&a ',
          '*a',
          '$',
          '#',
          '\0',
        ),
        async (kind, from, length, put) => {
          const { file, text } = good[kind];
          const start = Math.floor(from * text.length);
          const changed = text.slice(0, start) + put + text.slice(start + Math.floor(length * 40));
          writeFileSync(join(cwd, file), changed);
          const { code, stdout, stderr } = await inProcess(['doctor', file], { cwd });
          expect([0, 1, 2]).toContain(code);
          expect(code === 2 ? stderr : stdout).not.toBe('');
        },
      ),
      { numRuns: 300 },
    );
  });
});

test.each([
  ['Dockerfile', true],
  ['work/dev/shop/api/Dockerfile', true],
  ['test/shop/Dockerfile', true],
  ['shop/test/Dockerfile', false],
  ['packages/e2e-server/Dockerfile', false],
  ['Dockerfile.dev', false],
  ['contest/Dockerfile', true],
])('files for developers, by name and folder: %s', async (path, reported) => {
  const dir = mkdtempSync(join(tmpdir(), 'lifesign-doctor-'));
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), 'FROM node:24\nEXPOSE 8000\nCMD npm start\n');
  const { stdout } = await inProcess(['doctor', path, '--json'], { cwd: dir });
  const { findings }: { findings: { rule: string }[] } = JSON.parse(stdout);
  expect(findings.map(({ rule }) => rule).toSorted()).toEqual(
    reported ? ['signals-swallowed', 'user-root'] : [],
  );
  rmSync(dir, { recursive: true });
});

test('the built command finds its parsers', async () => {
  const { code, stdout } = await lifesignCli(['doctor', join(root, 'deploy'), '--json']);
  expect([code, JSON.parse(stdout).containers]).toEqual([0, 9]);
});
