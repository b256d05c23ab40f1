import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

const bad: readonly (readonly [sentence: string, found: string])[] = [
  ['The value is no string.', 'is no string'],
  ['Of the two this is none.', 'is none'],
  ['It works as ever.', 'as ever'],
  ['It is for those who ask.', 'those who'],
  ['The log has what was thrown.', 'what was thrown'],
  ['It shows ids alone.', 'alone'],
  ['The call belongs into the hook.', 'belongs into'],
  ['The server stops to accept connections.', 'stops to accept'],
  ['It prints a line a rule.', 'a line a rule'],
  ['The settings of profile A differ.', 'profile A'],
  ['See SPEC 4 for the levels.', 'SPEC 4'],
  ['The message fails for ever.', 'for ever'],
  ['The time begins anew.', 'anew'],
  ['Create it right behind the application.', 'right behind'],
  ['It fails there where it started.', 'there where'],
  ['Correct it or leave it out for 5000.', 'leave it out for'],
  ['It takes no Health any more.', 'no Health any more'],
  ['A restart mends it.', 'mends'],
  ['It shall answer.', 'shall'],
  ['The name stands in the log.', 'stands in'],
  ['The hint is of help.', 'is of help'],
  ['There is a word word twice.', 'word word'],
  ['There is a mispelled word.', 'mispelled'],
];

/** Found in comments only. */
const inComments: readonly (readonly [sentence: string, found: string])[] = [
  ['Read by nobody.', 'nobody'],
  ['The caller is told.', 'told'],
  ['It reads what there is.', 'what there is'],
  ['The name; undefined where it has none.', 'undefined where'],
  ['The pool, where it has one.', ', where it'],
  ['What a check returns.', 'What'],
  ['It listens; returns what ends that.', 'returns what ends'],
  ['The text of a stranger.', 'stranger'],
  ['Whose trouble it is.', 'trouble'],
  ['Waits until the delay is over.', 'is over'],
  ['Undefined if none can be had.', 'can be had'],
];

const texts = {
  'comments.ts': `${inComments.map(([sentence]) => `// ${sentence}`).join('\n')}\nconst text = 'Read by nobody.'; // Where it is.`,
  'comments.md': inComments.map(([sentence]) => sentence).join('\n'),
  'bad.md': bad.map(([sentence]) => sentence).join('\n\n'),
  'wrapped.md': 'It works as\never.\n',
  'code.md': 'Run `as ever`.\n\n```text\nas ever\n```\n\n[x](as-ever.md) <!-- as ever -->\n',
  'source.ts': [
    '/** It works as ever. */',
    "const always = 'as ever';",
    'const text = `It is ${always} for those who ask`; // anew',
    'const colour = { wrod: /as ever/ };',
    '/**',
    ' * It works as',
    ' * ever: `as ever`.',
    ' */',
  ].join('\n'),
  'heading.md': '# What it leaves out\n\nis gone.\n',
  'plain.md': `# Health

There is no answer, and there is none later. It is no longer used, and it is no more than a hint, let alone a promise.
One request a second is fine. It stops to the left of a column. A test fails once a day. lifesign's "behaviour" is the
same as before, behind a proxy too: \`HEALTH_PORT\`, drainTimeout, pg-boss, E001, node:http, docs/checks.md.
`,
};
const folder = mkdtempSync(join(tmpdir(), 'prose-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(names: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const files = names.map((name) => join(folder, name));
  return spawnSync(process.execPath, ['scripts/prose.mjs', ...files], { cwd: root, encoding: 'utf8' });
}

let output = '';
beforeAll(() => {
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  const { status, stderr } = run(Object.keys(texts));
  expect(status).toBe(1);
  output = stderr;
});

/** What the check found in a file, and in which line. */
const foundIn = (name: keyof typeof texts) =>
  output
    .split('\n')
    .filter((line) => line.includes(`/${name}:`))
    .map((line) => /:(\d+): "([^"]+)"\. Write .+\.$/.exec(line)?.slice(1).join(' '));

test('each phrase is found in its line, with what to write instead', () => {
  expect(foundIn('bad.md')).toEqual(bad.map(([, phrase], index) => `${index * 2 + 1} ${phrase}`));
});

test('there is an example for each phrase', () => {
  const rules = readFileSync(join(root, 'scripts/prose/phrases.mjs'), 'utf8').match(/^ {2}phrase\(/gm) ?? [];
  expect(rules.length).toBeGreaterThan(15);
  // The last two are a word that is there twice, and one that is misspelled.
  expect(bad.length - 2 + inComments.length).toBe(rules.length);
});

test('a phrase that is wrapped is found, and code is not read', () => {
  expect(foundIn('wrapped.md')).toEqual(['1 as ever']);
  expect(foundIn('code.md')).toEqual([]);
});

test('comments and strings of source files are read, code is not', () => {
  expect(foundIn('source.ts')).toEqual(['1 as ever', '2 as ever', '3 those who', '3 anew', '6 as ever']);
});

test('phrases of comments are found there, and neither in strings nor in pages', () => {
  expect(foundIn('comments.ts')).toEqual(inComments.map(([, phrase], index) => `${index + 1} ${phrase}`));
  expect(foundIn('comments.md')).toEqual([]);
});

test('a heading does not start the sentence below it', () => {
  expect(foundIn('heading.md')).toEqual(['3 is']);
});

test('plain English passes', () => {
  expect(run(['plain.md', 'code.md'])).toMatchObject({ status: 0, stderr: '' });
});
