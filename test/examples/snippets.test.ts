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

/** What the compiler of the project says of files. */
async function problemsOf(files: readonly string[], options: object): Promise<string> {
  const config = join(scratch, 'tsconfig.json');
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    ...options,
  };
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [tsc, '-p', config, '--checkers', '1']).then(
    () => '',
    (failed: { stdout: string }) => failed.stdout,
  );
}

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
  expect(await problemsOf(files, { experimentalDecorators: false })).toBe('');
});

const exported: readonly string[] = ['Health', 'HealthMiddleware', 'HealthModule', 'checks', 'listenOptions'];

test('each fragment in the pages has options, names and arguments that exist', async () => {
  const files: string[] = [];
  for (const snippet of all.filter(
    ({ note, language }) => note.startsWith('fragment') && language !== 'sh',
  )) {
    const { place, code } = snippet;
    const isAbsent = (name: string) => code.includes(name) && !new RegExp(`import.*\\b${name}\\b`).test(code);
    const names = exported.filter(isAbsent).join(', ');
    const usual = place.startsWith('docs/workers.md') ? 'worker' : 'express';
    const entry = code.includes('HealthModule') ? 'nestjs' : usual;
    const file = fileOf(snippet, 'mts');
    await writeFile(file, `import { ${names} } from 'lifesign/${entry}'; ${code}\nexport {};\n`);
    files.push(file);
  }
  const problems = await problemsOf(files, {
    experimentalDecorators: true,
    noImplicitAny: false,
    lib: ['es2023'],
  });
  // A fragment leaves out where its own values and other packages come from.
  const absent = /error TS(?:2304|2307|2552|7016|18004):/;
  expect(problems.split('\n').filter((line) => line.includes('error') && !absent.test(line))).toEqual([]);
});
