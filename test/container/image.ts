import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const execute = promisify(execFile);
const example = resolve(import.meta.dirname, '../../examples/container');

async function run(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { stdout } = await execute(command, [...args], { cwd, timeout: 120_000, maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** A directory with images and containers of its own, and the programs that work in it. */
export class Workshop {
  readonly directory: string;
  readonly #storage: readonly string[];

  private constructor(directory: string) {
    this.directory = directory;
    const stored = ['--root', join(directory, 'root'), '--runroot', join(directory, 'runroot')];
    this.#storage = [...stored, '--storage-driver', 'vfs'];
  }

  static async open(): Promise<Workshop> {
    return new Workshop(await mkdtemp(join(tmpdir(), 'lifesign-container-')));
  }

  podman(...args: readonly string[]): Promise<string> {
    return run('podman', [...this.#storage, '--runtime', 'runc', '--cgroup-manager=cgroupfs', ...args]);
  }

  async close(): Promise<void> {
    await this.podman('rm', '--all', '--force');
    await rm(this.directory, { recursive: true, force: true });
  }

  /** The image of examples/container, by its own Dockerfile, with the package as it is packed now. */
  async build(args: Readonly<Record<string, string>>): Promise<string> {
    await this.#buildNode();
    const app = join(this.directory, 'app');
    await cp(example, app, { recursive: true });
    const tarball = await run(
      'npm',
      ['pack', '--ignore-scripts', '--silent', '--pack-destination', app],
      inject('built'),
    );
    const manifest = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
    manifest.dependencies.lifesign = `file:${tarball}`;
    await writeFile(join(app, 'package.json'), JSON.stringify(manifest));
    // Out here there is a network; inside the build npm finds all of it in the cache.
    const cache = join(this.directory, 'npm');
    const online = ['install', '--omit=dev', '--cache', cache, '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', [...online, '--omit-lockfile-registry-resolved=false'], app);
    await rm(join(app, 'node_modules'), { recursive: true });
    const npmrc = join(this.directory, 'npmrc');
    await writeFile(npmrc, 'offline=true\naudit=false\nfund=false\nupdate-notifier=false\n');

    const given = Object.entries({ NODE_IMAGE: 'localhost/node', ...args });
    const options = given.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
    const volumes = ['-v', `${cache}:/root/.npm`, '-v', `${npmrc}:/root/.npmrc:ro`];
    await this.#buildah('--format', 'docker', ...options, ...volumes, '-t', 'localhost/shop', app);
    return 'localhost/shop';
  }

  /** What `node:22-slim` is to the Dockerfile: Node, npm and a shell. No registry of images is needed. */
  async #buildNode(): Promise<void> {
    const root = join(this.directory, 'node');
    const put = async (from: string, to: string) => {
      await mkdir(dirname(join(root, to)), { recursive: true });
      await cp(await realpath(from), join(root, to), { recursive: true });
    };
    await put(process.execPath, 'usr/bin/node');
    const libraries = (await run('ldd', [process.execPath])).match(/\/\S+/g) ?? [];
    for (const library of libraries) await put(library, library);
    const npm = dirname(dirname(await realpath(await run('which', ['npm']))));
    await put(npm, 'usr/lib/node_modules/npm');
    for (const name of ['npm', 'npx']) {
      await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/bin', name));
    }
    await put(await run('which', ['busybox']), 'bin/busybox');
    for (const name of ['sh', 'echo']) await symlink('busybox', join(root, 'bin', name));
    await symlink('../../bin/busybox', join(root, 'usr/bin/env'));
    await mkdir(join(root, 'etc'));
    await mkdir(join(root, 'tmp'));
    await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
    await writeFile(join(root, 'etc/group'), 'root:x:0:\n');
    const recipe = join(this.directory, 'Containerfile');
    await writeFile(recipe, 'FROM scratch\nCOPY . /\nENV PATH=/usr/bin:/bin\n');
    await this.#buildah('-f', recipe, '-t', 'localhost/node', root);
  }

  #buildah(...args: readonly string[]): Promise<string> {
    return run('buildah', [...this.#storage, 'bud', '--isolation', 'chroot', ...args]);
  }
}
