import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { describe } from '../../../../src/core/scrub/scrub.js';
import { execForm, dockerfileWorkload, imageInstructions } from '../../doctor/formats/dockerfile.js';
import type { Workload } from '../../doctor/workload.js';
import { fileUnusable, usageInvalid } from '../../../../src/command/errors.js';
import type { Io } from '../../../../src/command/io.js';

/** An image: the directory it was unpacked to, or the Dockerfile that builds it. */
export type Image =
  | {
      readonly kind: 'directory';
      /** Text of `/app/version.json`, or why there is none. */
      readonly version: Text;
      readonly passwd: Text;
      /** The application's own files. */
      readonly sources: readonly Source[];
    }
  | {
      readonly kind: 'dockerfile';
      readonly text: string;
      readonly workload: Workload;
      /** ENTRYPOINT and CMD, if they are for a shell. */
      readonly shellForms: readonly { readonly name: string; readonly line: number }[];
    };

type Text = { readonly text: string } | { readonly missing: string };
interface Source {
  readonly path: string;
  readonly text: string;
}

const maxBytes = 1024 * 1024;
const maxSources = 200;

export async function readImage(path: string, io: Io): Promise<Image> {
  const whole = resolve(io.cwd, path);
  let isDirectory;
  try {
    isDirectory = (await lstat(whole)).isDirectory();
  } catch (thrown) {
    throw fileUnusable(path, 'read', describe(thrown));
  }
  if (!isDirectory) return readDockerfile(await textIn(dirname(whole), basename(whole)), path);
  const dockerfile = await textIn(whole, 'Dockerfile');
  const names = await readdir(whole);
  // A folder with a Dockerfile and without `etc` is a build context, not an image.
  if ('text' in dockerfile && !names.includes('etc')) return readDockerfile(dockerfile, path);
  return {
    kind: 'directory',
    version: await textIn(whole, 'app/version.json'),
    passwd: await textIn(whole, 'etc/passwd'),
    sources: await sourcesIn(whole),
  };
}

function readDockerfile(read: Text, path: string): Image {
  if ('missing' in read) throw fileUnusable(path, 'read', read.missing);
  const { text } = read;
  const workload = dockerfileWorkload(text, path);
  if (workload === undefined) throw usageInvalid(`${path} is not a Dockerfile: it has no FROM`);
  const own = imageInstructions(text);
  const shellForms = ['ENTRYPOINT', 'CMD'].flatMap((name) => {
    const last = own.findLast((instruction) => instruction.name === name);
    return last === undefined || execForm(last.text) !== undefined ? [] : [{ name, line: last.line }];
  });
  return { kind: 'dockerfile', text, workload, shellForms };
}

const maxLinks = 10;

/** A file of an image. Its links lead inside of the image, never to the files of this machine. */
async function textIn(root: string, path: string): Promise<Text> {
  try {
    let parts = path.split('/');
    let place = root;
    let links = 0;
    while (parts.length > 0) {
      const [next = '', ...rest] = parts;
      parts = rest;
      if (next === '' || next === '.') continue;
      if (next === '..') {
        place = place === root ? root : dirname(place);
        continue;
      }
      const candidate = join(place, next);
      const stats = await lstat(candidate);
      if (!stats.isSymbolicLink()) {
        place = candidate;
        continue;
      }
      links += 1;
      if (links > maxLinks) return { missing: 'its links form a loop' };
      const target = await readlink(candidate);
      if (target.startsWith('/')) place = root;
      parts = [...target.split('/'), ...parts];
    }
    return await textOf(place);
  } catch (thrown) {
    return { missing: describe(thrown) };
  }
}

async function textOf(file: string): Promise<Text> {
  if (!(await lstat(file)).isFile()) return { missing: 'it is not a file' };
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) return { missing: `it is larger than ${maxBytes} bytes` };
    return { text: buffer.toString('utf8', 0, bytesRead) };
  } finally {
    await handle.close();
  }
}

const code = /\.(?:[cm]?[jt]s|py|rb|php|ini|toml|ya?ml|sh)$|^(?:Procfile|entrypoint)$/;
const others = new Set(['node_modules', 'vendor', 'site-packages', '__pycache__', '.git']);

/** Files of `/app`, two folders deep; no dependencies. */
async function sourcesIn(root: string): Promise<readonly Source[]> {
  const found: Source[] = [];
  const folders: [string, number][] = [['app', 0]];
  for (const [folder, depth] of folders) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && depth < 2 && !others.has(entry.name)) folders.push([path, depth + 1]);
      if (!entry.isFile() || !code.test(entry.name) || found.length >= maxSources) continue;
      const read = await textIn(root, path);
      if ('text' in read) found.push({ path: `/${path}`, text: read.text });
    }
  }
  return found;
}
