import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { terminalTricks } from '../hostile.js';
import { whole } from '../../../test/whole.js';
import { inProcess, lifesignCli } from '../run.js';
import { faults, good, type Kind, planted, ruleIds } from './faults.js';

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
    expect(finding?.line).toBeGreaterThan(0);
    expect(finding?.line).toBeLessThanOrEqual(text.split('\n').length);
    expect(code).toBe(1);
    expect((await diagnose(text, good[kind].file, '--skip', rule)).findings).toEqual([]);
  });
});

test('every rule has a heading in the docs', async () => {
  const page = readFileSync(join(root, 'docs/doctor.md'), 'utf8');
  const headings = [...page.matchAll(/^## ([a-z-]+)$/gm)].map(([, id]) => id);
  expect(headings).toEqual(await ruleIds());
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
    ['template.yaml', 'kind: {{ .Values.kind }}\napiVersion: {{ x }}\n', 'it is not rendered'],
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
      { numRuns: whole ? 300 : 50 },
    );
  });
});

test('a file that cannot be read hides nothing of the others, in every form of output', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lifesign-doctor-'));
  mkdirSync(join(dir, 'k8s/templates'), { recursive: true });
  writeFileSync(join(dir, 'k8s/a.yaml'), 'apiVersion: v1\nkind: [\n');
  writeFileSync(join(dir, 'k8s/templates/b.yaml'), 'apiVersion: v1\n{{ if x }}\n');
  writeFileSync(join(dir, 'k8s/c.yaml'), 'other: true\n');
  // A link that leads nowhere is not silent; code that reads Dockerfiles is none.
  symlinkSync('nowhere.yaml', join(dir, 'k8s/d.yaml'));
  writeFileSync(join(dir, 'dockerfile.ts'), 'export {};\n');
  // Translations have holes of their own, and no containers.
  writeFileSync(join(dir, 'de.json'), '{\n  "template": "Vorlage",\n  "all": "Seite: {{ page }}"\n}\n');
  writeFileSync(join(dir, 'Dockerfile'), 'FROM node:24\nEXPOSE 8000\nUSER node\nCMD npm start\n');
  const doctor = (...args: string[]) => inProcess(['doctor', ...args], { cwd: dir });
  const all = await doctor('.');
  expect(all.code).toBe(1);
  expect(all.stdout).toContain('hazard: signals-swallowed');
  expect(all.stdout).toContain('not read: k8s/a.yaml: line');
  expect(all.stdout).toContain('not read: k8s/templates/b.yaml: it is not rendered');
  expect(all.stdout).toContain('1 file, 1 container, 3 files not read: 1 hazard');
  expect(JSON.parse((await doctor('--json')).stdout).unread).toHaveLength(3);
  expect((await doctor('--github')).stdout).toContain('::warning title=not read::k8s/a.yaml: line');
  const [run] = JSON.parse((await doctor('--sarif', '-')).stdout).runs;
  expect(run.invocations[0].toolExecutionNotifications).toHaveLength(3);
  // One that was named fails the call, even if nothing is found in the others.
  const skipped = await doctor('Dockerfile', 'k8s/a.yaml', '--skip', 'signals-swallowed');
  expect([skipped.code, skipped.stdout]).toEqual([2, expect.stringContaining('not read: k8s/a.yaml')]);
  rmSync(dir, { recursive: true });
});

describe('what is written instead is right as it stands', () => {
  const dockerfile = (start: string, from = 'node:24') => `FROM ${from}\nEXPOSE 8000\nUSER node\n${start}\n`;
  // What a shell does with a line is in no file: the rule says what is wrong.
  test.each([
    'CMD node server.js',
    'CMD node migrate.js && node server.js',
    'CMD cd app && npm run serve',
    'ENTRYPOINT /docker-entrypoint.sh\nCMD ["eswrapper"]',
  ])('%s gets no line to write', async (start) => {
    const { findings } = await diagnose(dockerfile(start), 'Dockerfile');
    expect(findings).toMatchObject([{ rule: 'signals-swallowed', write: [] }]);
  });

  test.each([
    ['CMD node server.js', 'node:24-alpine'],
    ['CMD node migrate.js; node server.js', 'fedora:43'],
    ['SHELL ["/bin/bash", "-c"]\nCMD node server.js', 'node:24'],
    ['CMD ["bash", "-c", "node migrate.js && node server.js"]', 'node:24'],
  ])('a shell that becomes its last command is not between: %s in %s', async (start, from) => {
    expect((await diagnose(dockerfile(start, from), 'Dockerfile', '--skip', 'user-root')).findings).toEqual(
      [],
    );
  });

  test.each(['port: web', 'port: http, scheme: HTTPS'])('no startup probe for { %s }', async (port) => {
    const { findings } = await diagnose(
      `kind: Pod\napiVersion: v1\nspec: { containers: [{ name: a, ports: [{ name: http, containerPort: 80 }], livenessProbe: { initialDelaySeconds: 60, httpGet: { path: /up, ${port} } } }] }\n`,
      'pod.yaml',
    );
    expect(findings.find(({ rule }) => rule === 'initial-delay')).toMatchObject({ write: [] });
  });

  test('the fix of a fault leaves nothing to find', async () => {
    for (const [find, put] of [
      ['terminationGracePeriodSeconds: 30', 'terminationGracePeriodSeconds: 5'],
      [
        '              path: /__lbheartbeat__\n              port: http\n            periodSeconds: 10',
        '              path: /__heartbeat__\n              port: http\n            periodSeconds: 10',
      ],
    ] as const) {
      const text = planted('kubernetes', [[find, put]]);
      const { findings } = await diagnose(text, 'deployment.yaml');
      expect(findings).toHaveLength(1);
      const wanted = findings[0]?.write.find((line) => /: \S/.test(line)) ?? '';
      const key = wanted.slice(0, wanted.indexOf(':') + 1);
      const line = put.split('\n').find((one) => one.includes(key.trim())) ?? '';
      const mended = text.replace(
        put,
        put.replace(line, line.replace(/:.*/, wanted.slice(wanted.indexOf(':')))),
      );
      expect((await diagnose(mended, 'deployment.yaml')).findings).toEqual([]);
    }
  });
});

test('what only a template knows is in no finding', async () => {
  const hole = '"{{ .Values.x }}"';
  const { findings } = await diagnose(
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: ${hole} }\nspec: { template: { spec: { terminationGracePeriodSeconds: ${hole}, containers: [{ name: a, image: ${hole}, command: [sh, -c, ${hole}], ports: [{ name: http, containerPort: ${hole} }], livenessProbe: { periodSeconds: ${hole}, failureThreshold: 1, httpGet: { path: ${hole}, port: ${hole} } }, readinessProbe: { httpGet: { path: /__heartbeat__, port: ${hole} } } }] } } }\n`,
    'holes.yaml',
  );
  expect(JSON.stringify(findings)).not.toMatch(/\{\{|NaN|\$|undefined/);
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
