import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inProcess } from '../../cli/test/run.js';
import { freePort } from '../services/port.js';
import { Workshop } from './image.js';
import { has } from './tools.js';

const commit = '0123456789abcdef0123456789abcdef01234567';

describe.skipIf(!has('containers'))('the container example', () => {
  let workshop: Workshop;
  let image: string;
  let origin: string;
  let probe: string[];

  beforeAll(async () => {
    workshop = await Workshop.open();
    image = await workshop.build({ COMMIT: commit, VERSION: 'v1.2.3', SOURCE: 'https://example.org/shop' });
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    // Without a daemon: no systemd for timers of health checks, no limits beyond those of this process.
    const plain = [
      '--network',
      'host',
      '--no-healthcheck',
      '--ulimit',
      'nofile=1024:1024',
      '--ulimit',
      'nproc=1024:1024',
    ];
    const hardened = ['--read-only', '--cap-drop=all', '--security-opt', 'no-new-privileges'];
    const env = ['-e', `PORT=${port}`, '-e', 'HEALTH_DRAIN_DELAY=100ms'];
    await workshop.podman('run', '-d', '--name', 'shop', ...plain, ...hardened, ...env, image);
    probe = JSON.parse(
      await workshop.podman('image', 'inspect', image, '--format', '{{json .HealthCheck.Test}}'),
    );
    await vi.waitFor(() => fetch(`${origin}/__lbheartbeat__`), { timeout: 30_000, interval: 200 });
  }, 170_000);
  afterAll(() => workshop.close());

  test('the image: user app, /app, ENTRYPOINT and CMD, PORT, HEALTHCHECK with lifesign probe', async () => {
    const config = JSON.parse(
      await workshop.podman('image', 'inspect', image, '--format', '{{json .Config}}'),
    );
    expect(config).toMatchObject({
      User: 'app:app',
      WorkingDir: '/app',
      Entrypoint: ['node'],
      Cmd: ['server.mjs'],
      ExposedPorts: { '8000/tcp': {} },
    });
    expect(config.Env).toContain('PORT=8000');
    expect(probe).toEqual(['CMD', 'node', '/app/node_modules/lifesign/dist/cli/bin.cjs', 'probe']);
  });

  test('runs as 10001:10001, without a capability, on a root it cannot write', async () => {
    const pid = await workshop.podman('inspect', 'shop', '--format', '{{.State.Pid}}');
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1];
    expect(field('Uid')).toBe('10001\t10001\t10001\t10001');
    expect(field('Gid')).toBe('10001\t10001\t10001\t10001');
    expect(field('CapEff')).toBe('0000000000000000');
    const write = "try { fs.writeFileSync('/app/x', '') } catch (error) { console.log(error.code) }";
    expect(await workshop.podman('exec', 'shop', 'node', '-e', write)).toBe('EROFS');
  });

  test('serves the three endpoints, /app/version.json among them', async () => {
    expect(await (await fetch(`${origin}/__version__`)).json()).toEqual({
      commit,
      version: 'v1.2.3',
      source: 'https://example.org/shop',
    });
    expect(await (await fetch(`${origin}/__heartbeat__`)).json()).toEqual({
      status: 'ok',
      checks: { clock: 'ok' },
      details: {},
    });
    const verified = await inProcess(['verify', origin, '--max-latency', '20s']);
    expect(verified.stdout).toContain(' 0 failed');
    expect(verified.code).toBe(0);
  });

  test('hashed assets may be kept for a year, the page may not', async () => {
    const page = await fetch(origin);
    const [asset] = /\/assets\/[^"]+/.exec(await page.text()) ?? [];
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const { status, headers } = await fetch(origin + asset);
    expect({ status, cache: headers.get('cache-control') }).toEqual({
      status: 200,
      cache: 'public, max-age=31536000, immutable',
    });
    const missing = await fetch(`${origin}/assets/shop.00000000.js`);
    expect(missing.status).toBe(404);
    expect(missing.headers.get('cache-control')).toBeNull();
  });

  test('its HEALTHCHECK says ok', async () => {
    expect(await workshop.podman('exec', 'shop', ...probe.slice(1))).toMatch(/^ok 200 /);
  });

  test('its HEALTHCHECK fails where nothing listens', async () => {
    const elsewhere = workshop.podman('exec', '-e', 'PORT=1', 'shop', ...probe.slice(1));
    await expect(elsewhere).rejects.toMatchObject({ code: 1 });
  });

  test('SIGTERM ends it with 0, and every log line is there', async () => {
    await workshop.podman('kill', '--signal', 'TERM', 'shop');
    expect(await workshop.podman('wait', 'shop')).toBe('0');
    const lines = (await workshop.podman('logs', 'shop')).split('\n').map((line) => JSON.parse(line));
    expect(lines.map(({ Type }) => Type)).toContain('request.summary');
    expect(lines.at(-1).Fields.msg).toBe('Drained: the process ends with 0');
  });
});
