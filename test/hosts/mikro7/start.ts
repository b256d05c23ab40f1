import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const app = fileURLToPath(new URL('app.ts', import.meta.url));
/** The version of a package that is installed here. */
export const versionOf = (name: string): string => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  );
  return manifest.version;
};

/** The application, on a Node from the registry where ours is too old. */
export async function start(url: string, folder: string, ...more: readonly string[]) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const own = major > 22 || (major === 22 && minor >= 17);
  const args = ['--no-warnings', '--import', 'tsx', app, url, folder, ...more];
  const child = own
    ? spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    : spawn('npx', ['-y', '-p', 'node@24', 'node', ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
  const [chunk] = await once(child.stdout, 'data');
  const base = `http://127.0.0.1:${String(chunk).trim()}`;
  const beat = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
    const answer = await fetch(`${base}/__heartbeat__`);
    const body: { details: Record<string, { messages: object }> } = JSON.parse(await answer.text());
    return Object.fromEntries(
      Object.entries(body.details).map(([name, { messages }]) => [name, Object.keys(messages)]),
    );
  };
  const ends = () => {
    try {
      if (child.pid !== undefined) process.kill(own ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  return {
    beat,
    apply: () => fetch(`${base}/apply`),
    exhaust: () => fetch(`${base}/exhaust`),
    close: ends,
  };
}
