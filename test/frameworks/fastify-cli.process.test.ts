import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../http/serving.js';
import { compiled } from '../compiled/index.js';

const cli = createRequire(import.meta.url).resolve('fastify-cli/cli.js');
const directory = dirname(compiled(new URL('../hosts/fastify-cli/app.js', import.meta.url)));

interface Line {
  readonly logger?: string;
  readonly msg?: string;
  readonly path?: string;
  readonly rid?: string;
  readonly uid?: string;
}

/** Starts the application as `fastify start` does, and gives its address and lines. */
async function start(form: string) {
  const child = spawn(process.execPath, [cli, 'start', '--port', '0', '-l', 'info', 'app.js'], {
    cwd: directory,
    env: { ...process.env, HEALTH_FORM: form, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Line[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  const addressOf = ({ msg = '' }: Line) => /http:\/\/127\.0\.0\.1:\d+/.exec(msg)?.[0];
  const ended = new Promise<never>((_resolve, reject) =>
    child.on('exit', (code) => reject(new Error(`ended with ${code}`))),
  );
  ended.catch(() => {});
  await Promise.race([ended, until(() => lines.some(addressOf))]);
  return { origin: lines.map(addressOf).find((address) => address !== undefined) ?? '', lines };
}

test.each(['class', 'class, fp', 'plugin', 'plugin, fp'])(
  'plugins/health.js of the stock layout starts and serves: %s',
  async (form) => {
    const { origin, lines } = await start(form);
    const heartbeat = await fetch(`${origin}/__heartbeat__`);
    expect(await heartbeat.json()).toMatchObject({ checks: { storage: 'ok' } });
    const ids = (await (await fetch(`${origin}/orders`, { headers: { 'X-User': 'ada' } })).json()) as Line & {
      id: string;
    };
    expect(ids.id).toBe(ids.rid);
    expect((await fetch(`${origin}/orders/boom`)).status).toBe(500);
    const summaries = () => lines.filter(({ logger }) => logger === 'request.summary');
    await until(() => summaries().length === 3);
    expect(summaries().map(({ path, uid, msg }) => [path, uid, msg])).toEqual([
      ['/__heartbeat__', '', expect.stringMatching(/^GET \/__heartbeat__ 200 \d+ ms$/)],
      ['/orders', 'ada', expect.stringMatching(/^GET \/orders 200 \d+ ms$/)],
      ['/orders/boom', '', 'no orders'],
    ]);
    expect(summaries()[1]?.rid).toBe(ids.id);
  },
);
