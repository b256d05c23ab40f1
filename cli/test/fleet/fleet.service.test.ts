import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canStart } from '../../../test/services/index.js';
import { inProcess } from '../run.js';
import { type Exported, exporter } from './exporter.js';
import { scraping } from './real.js';
import { whole } from '../../../test/whole.js';

const many = whole ? 1000 : 200;

interface Shown {
  readonly counts: Readonly<Record<string, number>>;
  readonly services: readonly {
    readonly name: string;
    readonly rollout?: { readonly done: number; readonly total: number };
    readonly instances: readonly {
      readonly name: string;
      readonly state: string;
      readonly build?: { readonly version: string };
      readonly findings: readonly unknown[];
    }[];
  }[];
}

/** Stands before Prometheus and counts what it is asked. */
async function counting(url: string) {
  const seen: string[] = [];
  const server = createServer((req, res) => {
    seen.push(`${req.method} ${new URL(req.url ?? '', url).pathname}`);
    const onward = request(
      new URL(req.url ?? '', url),
      { method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      },
    );
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

describe.skipIf(!canStart('prometheus'))('the fleet on a real Prometheus', () => {
  test(
    `${many} instances of ten checks: what is where, in one query for each question`,
    { timeout: 180_000 },
    async () => {
      const started = Date.now() / 1000;
      const instances = Array.from({ length: many }, (_, index): Exported => {
        const young = index % 4 === 0;
        const level = (check: number) => (index === 3 && check === 2 ? 40 : 0);
        return {
          version: young ? '1.4.2' : '1.4.1',
          commit: (young ? '9f3c' : '0123').repeat(10),
          started: started - (young ? 240 : 300_000),
          draining: index === 5,
          down: index === 7,
          checks: Object.fromEntries(
            Array.from({ length: 10 }, (_, check) => [
              `check_${check}`,
              { level: level(check), id: 'health.E001' },
            ]),
          ),
        };
      });
      const exported = await exporter(instances);
      onTestFinished(exported.close);
      const prometheus = await scraping(exported.port);
      onTestFinished(prometheus.stop);
      const proxy = await counting(prometheus.url);
      const numbers = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, index) => from + index);
      await prometheus.watch({ shop: numbers(0, many / 2), mail: numbers(many / 2, many) });

      const look = async (): Promise<Shown> => {
        proxy.seen.length = 0;
        const args = ['fleet', '--prometheus', proxy.url, '--json', '--timeout', '60s'];
        const { stdout, stderr } = await inProcess(args);
        expect(stderr).toBe('');
        return JSON.parse(stdout);
      };
      const until = async (holds: (shown: Shown) => boolean): Promise<Shown> => {
        for (;;) {
          const shown = await look();
          if (holds(shown)) return shown;
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      };

      const all = await until(({ counts }) => counts['ok'] === many - 3 && counts['down'] === 1);
      expect(all.counts).toEqual({ down: 1, failing: 1, unknown: 0, draining: 1, gone: 0, ok: many - 3 });
      expect(proxy.seen).toEqual(Array(5).fill('GET /api/v1/query'));
      const [shop, mail] = all.services;
      expect([shop?.name, mail?.name]).toEqual(['shop', 'mail']);
      // The one that never answered has no build.
      expect(shop?.rollout).toEqual({ done: many / 8, total: many / 2 - 1 });
      expect(mail?.rollout).toEqual({ done: many / 8, total: many / 2 });
      expect(shop?.instances.slice(0, 3).map(({ name, state }) => [name, state])).toEqual([
        ['i7:8000', 'down'],
        ['i3:8000', 'failing'],
        ['i5:8000', 'draining'],
      ]);
      expect(shop?.instances[1]?.findings).toEqual([
        { check: 'check_2', status: 'error', ids: ['health.E001'] },
      ]);

      // One is not a target any more, one answers with another build, one no longer answers.
      await prometheus.watch({ shop: numbers(1, many / 2), mail: numbers(many / 2, many) });
      const [changed, silent] = [many / 2 + 1, many / 2 + 2];
      const before = instances[changed];
      if (before === undefined) throw new Error('no such instance');
      instances[changed] = {
        ...before,
        version: '1.4.2',
        commit: '9f3c'.repeat(10),
        started: Date.now() / 1000,
      };
      instances[silent] = { ...before, down: true };
      const later = await until(({ counts }) => counts['gone'] === 1 && counts['down'] === 2);
      expect(later.counts).toMatchObject({ gone: 1, down: 2, ok: many - 5 });
      const of = (name: string) =>
        later.services.flatMap((service) => service.instances).find((instance) => instance.name === name);
      expect([of('i0:8000')?.state, of('i0:8000')?.build?.version]).toEqual(['gone', '1.4.2']);
      expect([of(`i${silent}:8000`)?.state, of(`i${silent}:8000`)?.build?.version]).toEqual([
        'down',
        '1.4.1',
      ]);
      const replaced = await until(
        ({ services }) => services.find(({ name }) => name === 'mail')?.rollout?.done === many / 8 + 1,
      );
      expect(replaced.counts['gone']).toBe(1);

      // An outage of all, within minutes of their start: they are down, not gone.
      instances.splice(0, many, ...instances.map((instance) => ({ ...instance, down: true })));
      const outage = await until(({ counts }) => counts['ok'] === 0);
      expect(outage.counts).toMatchObject({ gone: 1, down: many - 1 });
      expect((await inProcess(['fleet', '--prometheus', proxy.url, '--timeout', '60s'])).code).toBe(1);
    },
  );
});
