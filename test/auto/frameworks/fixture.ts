import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const fixtures = join(import.meta.dirname, '../fixtures');

/** A framework that owns its server: how a production build of it is made, and the ways to start that. */
export interface Framework {
  readonly name: string;
  /** Folders of `fixtures` that make up the application. */
  readonly sources: readonly string[];
  /** A file of `node_modules` and its arguments; none where nothing is built. */
  readonly build?: readonly string[];
  /** Arguments of node, and where it is started, by name. */
  readonly starts: Readonly<Record<string, { readonly args: readonly string[]; readonly in?: string }>>;
  /** A GET whose answer is whole, in pieces, and a path that answers a POST with its body. */
  readonly paths?: { readonly page: string; readonly stream: string; readonly echo: string };
}

const next = (version: number): Framework => ({
  name: `Next.js ${version}`,
  sources: ['next-app', `next${version}`],
  build: ['next/dist/bin/next', 'build'],
  starts: {
    standalone: { args: ['server.js'], in: '.next/standalone' },
    'next start': { args: ['node_modules/next/dist/bin/next', 'start'] },
  },
});

export const frameworks = {
  next15: next(15),
  next16: next(16),
  nitro2: {
    name: 'Nitro 2',
    sources: ['nitro2'],
    build: ['nitropack/dist/cli/index.mjs', 'build'],
    starts: { 'node-server': { args: ['.output/server/index.mjs'] } },
  },
  nitro3: {
    name: 'Nitro 3',
    sources: ['nitro3'],
    build: ['nitro/dist/cli/index.mjs', 'build'],
    starts: { 'node-server': { args: ['.output/server/index.mjs'] } },
  },
  sveltekit: {
    name: 'SvelteKit',
    sources: ['sveltekit'],
    build: ['vite/bin/vite.js', 'build'],
    starts: { 'adapter-node': { args: ['build/index.js'] } },
  },
  reactRouter: {
    name: 'React Router 7',
    sources: ['react-router'],
    build: ['@react-router/dev/bin.js', 'build'],
    starts: {
      'react-router-serve': { args: ['node_modules/@react-router/serve/bin.js', 'build/server/index.js'] },
    },
  },
  astro: {
    name: 'Astro',
    sources: ['astro'],
    build: ['astro/astro.js', 'build'],
    starts: { standalone: { args: ['dist/server/entry.mjs'] } },
  },
  astroMiddleware: {
    name: 'Astro middleware',
    sources: ['astro', 'astro-middleware'],
    build: ['astro/astro.js', 'build'],
    starts: {},
  },
  proxy: {
    name: 'http-proxy',
    sources: ['http-proxy'],
    starts: { 'node server.js': { args: ['server.js'] } },
  },
  typescript: { name: 'TypeScript', sources: ['typescript'], starts: {} },
} satisfies Record<string, Framework>;

/** Installs and builds an application apart from this clone; kept for the next run, until a file of it changes. */
export async function built({ name, sources, build }: Framework): Promise<string> {
  const hash = createHash('sha256')
    .update(import.meta.dirname)
    .update(process.version);
  for (const source of sources) {
    for (const file of (await readdir(join(fixtures, source), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()) {
      hash.update(file).update(await readFile(file));
    }
  }
  const folder = `auto-${name.replaceAll(/\W/g, '').toLowerCase()}-${hash.digest('hex').slice(0, 16)}`;
  const cwd = join(tmpdir(), 'lifesign-projects', folder);
  const stamp = join(cwd, 'built');
  if (existsSync(stamp)) return cwd;
  await rm(cwd, { recursive: true, force: true });
  await mkdir(cwd, { recursive: true });
  for (const source of sources) await cp(join(fixtures, source), cwd, { recursive: true });
  const env = {
    ...process.env,
    NODE_ENV: undefined,
    VITEST: undefined,
    STANDALONE: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
  };
  // Not `npm ci`: it wants binaries of every platform in the lock file, and not every registry has them.
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--prefer-offline'], { cwd, env });
  const [file, ...args] = build ?? [];
  if (file !== undefined)
    await run(process.execPath, [join(cwd, 'node_modules', file), ...args], { cwd, env });
  await writeFile(stamp, '');
  return cwd;
}
