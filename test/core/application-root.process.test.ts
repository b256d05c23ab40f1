import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled } from '../compiled/index.js';
import { chosen } from '../whole.js';

/** How people lay projects out, where they stand when they start them, and where the platform has put version.json. */
const layouts: readonly {
  readonly name: string;
  /** The script, below the project. */
  readonly script: string;
  readonly start: readonly string[];
  /** Where it is started, below the project. */
  readonly from: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly link?: readonly [link: string, target: string];
}[] = [
  { name: 'node dist/server.mjs', script: 'dist/server.mjs', start: ['dist/server.mjs'], from: '.' },
  { name: 'from another directory', script: 'src/server.mjs', start: ['../src/server.mjs'], from: 'logs' },
  {
    name: 'a linked script',
    script: 'src/server.mjs',
    start: ['bin/start.mjs'],
    from: '.',
    link: ['bin/start.mjs', '../src/server.mjs'],
  },
  {
    name: 'a launcher in node_modules',
    script: 'node_modules/launcher/cli.mjs',
    start: ['node_modules/launcher/cli.mjs'],
    from: 'logs',
    files: { 'node_modules/launcher/package.json': '{}' },
  },
];

let directory = '';
beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'lifesign-root-')));
});
afterAll(() => rm(directory, { recursive: true }));

const run = promisify(execFile);
const source = (name: string) => JSON.stringify(compiled(new URL(`../../src/${name}`, import.meta.url)));

/** Asks /__version__ of a Health of `lifesign/express` and of `lifesign/node`, as the started script sees it. */
const script = `
import { createServer } from 'node:http';
import express from ${JSON.stringify(import.meta.resolve('express'))};
import { Health as Express } from ${source('frameworks/express.ts')};
import { Health as Node } from ${source('frameworks/node.ts')};
const lines = [];
const options = { summary: false, logger: { log: ({ msg }) => lines.push(msg) } };
const app = express();
const servers = [createServer(app), createServer()];
new Express(app, options);
new Node(servers[1], options);
for (const server of servers) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (let time = 0; time < 2; time += 1) {
    const answer = await fetch('http://127.0.0.1:' + server.address().port + '/__version__');
    const body = await answer.text();
    if (time === 0) lines.push(answer.status + ' ' + body);
  }
  server.closeAllConnections();
  server.close();
}
console.log(JSON.stringify(lines));
`;

async function lay(layout: (typeof layouts)[number], version: string | undefined): Promise<string> {
  const project = join(
    directory,
    `${layouts.indexOf(layout)}-${version ?? 'none'}`.replaceAll(/\W/g, '-'),
    'app',
  );
  const files: Record<string, string> = {
    'package.json': '{"type":"module"}',
    [layout.script]: script,
    ...layout.files,
  };
  if (version !== undefined) files[version] = '{"version":"1"}';
  await mkdir(join(project, 'logs'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  if (layout.link !== undefined) {
    await mkdir(dirname(join(project, layout.link[0])), { recursive: true });
    await symlink(layout.link[1], join(project, layout.link[0]));
  }
  return project;
}

async function answers(layout: (typeof layouts)[number], version?: string): Promise<string[]> {
  const project = await lay(layout, version);
  const start = layout.start.map((part) =>
    part.includes('.mjs') && layout.from !== '.' ? join(project, layout.script) : part,
  );
  const { stdout } = await run(process.execPath, start, {
    cwd: join(project, layout.from),
  });
  return JSON.parse(stdout);
}

const some = chosen(layouts, 'node dist/server.mjs', 'a linked script', 'a launcher in node_modules');

describe.each(some)('$name', (layout) => {
  it('version.json in the root is found, by Express and by node', async () => {
    expect(await answers(layout, 'version.json')).toEqual(['200 {"version":"1"}', '200 {"version":"1"}']);
  });
});

it('the parent of the root comes first for Express, as the specification says', async () => {
  const [layout] = layouts;
  if (layout === undefined) throw new Error('no layout');
  const [express] = await answers(layout, '../version.json');
  expect(express).toBe('200 {"version":"1"}');
});

it('a 404 logs once where it was looked for', async () => {
  const layout = layouts[1];
  if (layout === undefined) throw new Error('no layout');
  const project = join(directory, '1-none', 'app');
  expect(await answers(layout)).toEqual([
    `version.json not found in ${dirname(project)} or ${project} or ${project}/logs. Create it with "npx lifesign version", or set versionPath (BASE_DIR in settings).`,
    '404 {"error":"version.json not found"}',
    `version.json not found in ${project}/logs or ${project}. Create it with "npx lifesign version", or set versionPath (BASE_DIR in settings).`,
    '404 {"error":"version.json not found"}',
  ]);
});
