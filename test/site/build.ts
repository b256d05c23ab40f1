import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '../..');
export const dist = join(root, 'site/.vitepress/dist');
/** As on GitHub Pages: under a path, not at the root of its host. */
export const base = '/lifesign/';
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the site is served: `http://127.0.0.1:1234/lifesign/`. */
    site: string;
  }
}

/** The file that a static host has for a path: pages with and without their ending, and the page for what is not there. */
async function fileFor(path: string): Promise<{ status: number; file: string; body: Buffer }> {
  const name = decodeURIComponent(path.slice(base.length));
  for (const file of [name, `${name}.html`, join(name, 'index.html')]) {
    const body = await readFile(join(dist, file)).catch(() => undefined);
    if (path.startsWith(base) && body !== undefined) return { status: 200, file, body };
  }
  return { status: 404, file: '404.html', body: await readFile(join(dist, '404.html')) };
}

/** Builds the site as the workflow does, and serves it. */
export default async function setup(project: TestProject): Promise<() => void> {
  const env = { ...process.env, DOCS_URL: `https://docs.example${base}` };
  await promisify(execFile)('npm', ['run', 'docs:build'], { cwd: root, env });
  const server = createServer((req, res) => {
    void fileFor(new URL(req.url ?? '/', 'http://site').pathname).then(({ status, file, body }) => {
      res
        .writeHead(status, { 'Content-Type': types[extname(file)] ?? 'text/plain; charset=utf-8' })
        .end(body);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  project.provide('site', `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`);
  return () => server.close();
}
