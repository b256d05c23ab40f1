import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Result } from '../src/verify/rule.js';
import { start } from './broken/service.js';
import { inProcess } from './run.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-image-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
};

async function verify(...args: string[]) {
  const { code, stdout, stderr } = await inProcess(
    ['verify', ...args, '--json', '--strict', '--only', 'image'],
    {
      cwd,
    },
  );
  if (code === 2) return { code, failed: [stderr], passed: [] };
  const { results }: { results: Result[] } = JSON.parse(stdout);
  const of = (outcome: string) =>
    results.filter((result) => result.outcome === outcome).map(({ name }) => name);
  return { code, failed: of('failed'), passed: of('passed') };
}

const lines = [
  'FROM node:24-slim',
  'WORKDIR /app',
  'ENV PORT=8000',
  'RUN groupadd --gid 10001 app && useradd --uid 10001 --gid 10001 app',
  'COPY version.json /app/version.json',
  'USER app',
  'ENTRYPOINT ["node"]',
  'CMD ["server.js"]',
];
const dockerfile = (changes: Readonly<Record<string, string>> = {}) =>
  lines.map((line) => changes[line.split(' ')[0] ?? ''] ?? line).join('\n');

describe('a Dockerfile', () => {
  test.each([
    ['as written', {}],
    ['by numbers', { USER: 'USER 10001:10001' }],
    ['the source has version.json in it', { COPY: 'COPY . .' }],
    [
      'a shell that expands $PORT',
      { ENTRYPOINT: 'ENTRYPOINT ["sh", "-c"]', CMD: 'CMD ["exec app --port $PORT"]' },
    ],
  ])('right: %s', async (_, changes) => {
    write('Dockerfile', dockerfile(changes));
    expect(await verify('--image', 'Dockerfile')).toMatchObject({ code: 0, failed: [] });
  });

  test.each([
    ['image.root', { USER: '' }],
    ['image.root', { USER: 'USER root' }],
    ['image.root', { USER: 'USER 0:0' }],
    ['image.uid', { USER: 'USER node' }],
    ['image.uid', { USER: 'USER 1000:10001' }],
    ['image.uid', { USER: 'USER 10001:0' }],
    ['image.uid', { RUN: 'RUN useradd --uid 1000 app' }],
    ['image.version-file', { COPY: '' }],
    ['image.version-file', { COPY: 'COPY version.json /srv/version.json' }],
    ['image.exec-form', { ENTRYPOINT: '', CMD: 'CMD node server.js' }],
    ['image.exec-form', { ENTRYPOINT: 'ENTRYPOINT node server.js' }],
    ['image.exec-form', { CMD: 'CMD server.js' }],
    ['image.exec-form', { ENTRYPOINT: '', CMD: '' }],
    ['image.port', { CMD: 'CMD ["server.js", "--port", "3000"]' }],
    ['image.port', { CMD: 'CMD ["gunicorn", "--bind", "0.0.0.0:8000"]' }],
    ['image.port', { CMD: 'CMD ["server.js", "--port", "$PORT"]' }],
    ['image.stdout', { ENTRYPOINT: '', CMD: 'CMD node server.js > /var/log/app.log' }],
  ])('%s: %j', async (rule, changes) => {
    write('Dockerfile', dockerfile(changes));
    const { code, failed } = await verify('--image', 'Dockerfile');
    expect(failed).toContain(rule);
    expect(code).toBe(1);
  });
});

describe('a directory', () => {
  const version =
    '{"commit":"abc","version":"1.0.0","source":"https://example.org","build":"https://ci.example.org/1"}';
  const image = (file = version) => {
    write('root/app/version.json', file);
    write('root/etc/passwd', 'root:x:0:0::/root:/bin/sh\napp:x:10001:10001::/app:/bin/false\n');
    write('root/app/server.js', 'app.listen(process.env.PORT)');
  };

  test('right, and the same as the service says', async () => {
    image();
    const service = await start();
    const { failed, passed } = await verify(service.url, '--image', 'root');
    await service.close();
    expect(failed).toEqual([]);
    expect(passed).toEqual(['image.version-file', 'image.version-same', 'image.uid', 'image.port']);
  });

  test('another build than the service runs', async () => {
    image(version.replace('abc', 'def'));
    const service = await start();
    const { stdout } = await inProcess(['verify', service.url, '--image', 'root'], { cwd });
    await service.close();
    expect(stdout).toContain('commit is "def" in /app/version.json and "abc" in /__version__');
  });

  test.each([
    ['{', ['image.version-file']],
    ['[]', ['image.version-file']],
  ])('version.json that is %s', async (text, rules) => {
    image(text);
    expect((await verify('--image', 'root')).failed).toEqual(rules);
  });

  test('no version.json, no user', async () => {
    write('root/etc/passwd', 'root:x:0:0::/root:/bin/sh\n');
    expect((await verify('--image', 'root')).failed).toEqual(['image.version-file', 'image.uid']);
  });

  test('what cannot be read as a file, and how', async () => {
    image();
    rmSync(join(cwd, 'root/app/version.json'));
    mkdirSync(join(cwd, 'root/app/version.json'));
    const said = async () => (await inProcess(['verify', '--image', 'root'], { cwd })).stdout;
    expect(await said()).toContain('/app/version.json: it is not a file');
    rmSync(join(cwd, 'root/app/version.json'), { recursive: true });
    write('root/app/version.json', `{"commit":"${'a'.repeat(1024 * 1024)}"}`);
    expect(await said()).toContain('/app/version.json: it is larger than 1048576 bytes');
  });

  test('$PORT is looked for two folders deep, in files of the application', async () => {
    image();
    const reads = async () => (await verify('--image', 'root')).passed.includes('image.port');
    rmSync(join(cwd, 'root/app/server.js'));
    expect(await reads()).toBe(false);
    write('root/app/node_modules/server.js', 'process.env.PORT');
    write('root/app/a/b/c/server.js', 'process.env.PORT');
    write('root/app/large.js', `process.env.PORT${' '.repeat(1024 * 1024)}`);
    write('root/app/notes.txt', 'process.env.PORT');
    expect(await reads()).toBe(false);
    write('root/app/a/b/server.js', 'process.env.PORT');
    expect(await reads()).toBe(true);
  });

  test('without users nothing is said of them; a folder with a Dockerfile is what it is built from', async () => {
    image();
    rmSync(join(cwd, 'root/etc/passwd'));
    expect((await verify('--image', 'root')).failed).toEqual([]);
    write('root/Dockerfile', dockerfile({ USER: 'USER root' }));
    expect((await verify('--image', 'root')).failed).toEqual([]);
    rmSync(join(cwd, 'root/etc'), { recursive: true });
    expect((await verify('--image', 'root')).failed).toEqual(['image.root', 'image.uid']);
  });

  test.each([
    [
      '{"commit":"abc","version":"1.0.0","build":"https://ci.example.org/1"}',
      'source is missing in /app/version.json',
    ],
    [
      version.replace('}', ',"more":{"b":1,"a":[2]}}'),
      'more is {"b":1,"a":[2]} in /app/version.json and missing in',
    ],
  ])('compared with the service: %s', async (file, text) => {
    image(file);
    const service = await start();
    const { stdout } = await inProcess(['verify', service.url, '--image', 'root'], { cwd });
    await service.close();
    expect(stdout).toContain(text);
  });

  test('a service that cannot be asked is not compared', async () => {
    image();
    const { stdout } = await inProcess(['verify', 'http://127.0.0.1:1', '--image', 'root', '--verbose'], {
      cwd,
    });
    expect(stdout).not.toContain('in /app/version.json and');
  });

  test('links lead inside of the image, and never to this machine', async () => {
    image();
    rmSync(join(cwd, 'root/app/version.json'));
    write('secret.json', '{"commit":"of this machine"}');
    write('root/opt/version.json', version);
    symlinkSync('/opt/version.json', join(cwd, 'root/app/version.json'));
    expect((await verify('--image', 'root')).passed).toContain('image.version-file');
    for (const target of [join(cwd, 'secret.json'), '../../../../../secret.json', 'version.json']) {
      rmSync(join(cwd, 'root/app/version.json'));
      symlinkSync(target, join(cwd, 'root/app/version.json'));
      expect((await verify('--image', 'root')).failed).toEqual(['image.version-file']);
    }
  });
});

test('misuse: nothing there, not a Dockerfile', async () => {
  write('notes.txt', 'hello');
  expect((await verify('--image', 'nothing')).code).toBe(2);
  symlinkSync('loop', join(cwd, 'loop'));
  expect((await verify('--image', 'loop')).failed[0]).toContain('its links form a loop');
  const { code, failed } = await verify('--image', 'notes.txt');
  expect([code, failed[0]]).toEqual([
    2,
    expect.stringContaining('notes.txt is not a Dockerfile: it has no FROM'),
  ]);
});
