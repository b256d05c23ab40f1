import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { pages, root, type Snippet, snippetsOf } from './snippets.js';

const run = promisify(execFile);
await mkdir(join(root, '.tmp'), { recursive: true });
// Inside the repository: there `lifesign/…` is this package and the frameworks are installed.
const scratch = await mkdtemp(join(root, '.tmp/snippets-'));
afterAll(() => rm(scratch, { recursive: true }));

const all: Snippet[] = [];
for (const page of await pages()) all.push(...(await snippetsOf(page)));
const whole = all.filter(({ note }) => !note.startsWith('fragment'));

const fileOf = ({ place }: Snippet, ending: string) =>
  join(scratch, `${place.replaceAll(/[^\w]+/g, '-')}.${ending}`);

const programs = whole.filter(({ language }) => language === 'js');

/** Compiles every file that it is given, in one process, and prints the mistakes. */
const compiler = `import { readFileSync } from 'node:fs';
import { SourceTextModule } from 'node:vm';
for (const file of process.argv.slice(2)) {
  try { new SourceTextModule(readFileSync(file, 'utf8'), { identifier: file }); }
  catch (mistake) { console.log(mistake.stack); }
}`;

test('each JavaScript program in the pages is one', async () => {
  const files = programs.map((snippet) => fileOf(snippet, 'mjs'));
  await Promise.all(programs.map(({ code }, index) => writeFile(files[index] ?? '', code)));
  const check = join(scratch, 'check.mjs');
  await writeFile(check, compiler);
  const { stdout } = await run(process.execPath, ['--experimental-vm-modules', check, ...files]);
  expect(stdout).toBe('');
});

test.each(programs.filter(({ output }) => output !== undefined))(
  '$place prints what it says',
  async (snippet) => {
    const file = fileOf(snippet, 'mjs');
    await writeFile(file, snippet.code);
    expect((await run(process.execPath, [file], { cwd: scratch })).stdout).toBe(snippet.output);
  },
);

test('each TypeScript program in the pages compiles under strict', async () => {
  const files: string[] = [];
  // The first example of the README, which is pasted into projects in TypeScript, too.
  const first = programs.find(({ place }) => place.startsWith('README.md'));
  expect(first).toBeDefined();
  for (const snippet of whole.filter((each) => each.language === 'ts' || each === first)) {
    const file = fileOf(snippet, 'mts');
    await writeFile(file, snippet.code);
    files.push(file);
  }
  if (files.length === 0) return;
  const config = join(scratch, 'tsconfig.json');
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom'],
    types: ['node'],
    strict: true,
    experimentalDecorators: false,
    skipLibCheck: true,
    noEmit: true,
  };
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  const compiled = run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    config,
    '--checkers',
    '1',
  ]);
  const problems = await compiled.then(
    () => '',
    (failed: { stdout: string }) => failed.stdout,
  );
  expect(problems).toBe('');
});
