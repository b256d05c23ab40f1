import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { measured } from '../hostile.js';
import { inProcess } from '../run.js';
import { chosen } from '../../../test/whole.js';

const cwd = mkdtempSync(join(tmpdir(), 'lifesign-limits-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const numbered = (count: number, of: (index: number) => string, between = '\n') =>
  Array.from({ length: count }, (_, index) => of(index)).join(between);
const pod = 'kind: Pod\napiVersion: v1\n';
const aliases = `${pod}c: &c { env: [${numbered(5000, (n) => `{ name: k${n} }`, ',')}] }\nspec: { containers: [${'*c,'.repeat(5000)}] }`;
const heirs = `services:\n b: { environment: [${numbered(5000, (n) => `k${n}=v`, ',')}] }\n${numbered(1000, (n) => ` s${n}: { extends: b }`)}`;

/** What doctor says of a file. */
function said(name: string, text: string) {
  writeFileSync(join(cwd, name), text);
  return inProcess(['doctor', name, '--json'], { cwd });
}

/** Small files that would take minutes, gigabytes or the whole stack. */
const refused: readonly (readonly [file: string, text: string, reason: string])[] = [
  ['brackets.yaml', `a: ${'['.repeat(200_000)}`, 'it is nested too deeply'],
  ['objects.json', '{"a":'.repeat(200_000), 'it is nested too deeply'],
  ['dashes.yaml', '- '.repeat(20_000), 'it is nested too deeply'],
  ['indents.yaml', numbered(2000, (n) => `${' '.repeat(n)}a:`), 'it is nested too deeply'],
  ['aliases.yaml', aliases, 'its aliases make it too large'],
  ['heirs.yaml', heirs, 'its services inherit too much'],
  ['lists.hcl', `job "x" { a = ${'['.repeat(200_000)}`, 'blocks are nested too deeply'],
  ['blocks.nomad', 'job "x" { a {'.repeat(80_000), 'blocks are nested too deeply'],
  ['long.nomad', `job "x" {}${' '.repeat(2_000_000)}`, 'it has more than 1048576 characters'],
  ['long.Dockerfile', `FROM a\n${' '.repeat(2_000_000)}`, 'it has more than 1048576 characters'],
];

test.each(
  chosen(
    refused,
    'brackets.yaml',
    'aliases.yaml',
    'heirs.yaml',
    'lists.hcl',
    'long.nomad',
    'long.Dockerfile',
  ),
)('%s is refused with a reason', async (name, text, reason) => {
  expect((await said(name, text)).stderr).toContain(`${name} cannot be read: ${reason}`);
});

/** What took the square of their length: each is a second at most now, so the time of the test fails them. */
const read: readonly (readonly [file: string, text: string, containers: number])[] = [
  ['continued.Dockerfile', `FROM a\nRUN x ${'\\\n y'.repeat(80_000)}`, 1],
  ['heredocs.Dockerfile', `FROM a\n${'RUN <<X\n'.repeat(80_000)}`, 1],
  ['stages.Dockerfile', `FROM a AS b0\n${numbered(30_000, (n) => `FROM b${n} AS b${n + 1}`)}`, 1],
  [
    'tasks.nomad',
    `job "x" { group "g" {\n${'task "a" {}\n'.repeat(20_000)}${'service {}\n'.repeat(20_000)}} }`,
    20_000,
  ],
];

test.each(chosen(read, 'continued.Dockerfile', 'tasks.nomad'))(
  '%s is read',
  async (name, text, containers) => {
    expect(JSON.parse((await said(name, text)).stdout).containers).toBe(containers);
  },
);

test('a key that is written twice is told with its line, an alias means the anchor before it', async () => {
  expect((await said('twice.yaml', `${pod}spec: {}\nkind: Pod\n`)).stderr).toContain(
    'line 4: Map keys must be unique',
  );
  const text = `${pod}a: &i npm\nspec: { containers: [{ command: [*i, start] }, { command: [&i node, x] }, { command: [*i, x] }] }\n`;
  const { findings } = JSON.parse((await said('anchors.yaml', text)).stdout);
  expect(findings.map(({ rule }: { rule: string }) => rule)).toEqual(['signals-swallowed']);
});

describe('the memory of the built command', () => {
  const largest = refused.filter(([name]) => /^(?:aliases|heirs)/.test(name));
  test.each(chosen(largest, 'aliases.yaml'))('%s', async (name, text) => {
    writeFileSync(join(cwd, name), text);
    const { code, megabytes } = await measured(['doctor', name], { cwd });
    expect(code).toBe(2);
    expect(megabytes).toBeLessThan(250);
  });
});
