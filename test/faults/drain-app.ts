// An application that drains, as a process of its own. It prints its port, then one line per log record.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { drainOnSignals } from 'lifesign/drain';
import { Health } from 'lifesign/node';

const logger = { log: ({ msg }: { msg?: string }) => console.log(msg) };
const server = createServer((req, res) => {
  const wait = Number(new URL(req.url ?? '', 'http://x').searchParams.get('wait') ?? 0);
  setTimeout(() => res.end('done'), wait);
});
const health = new Health(server, { summary: false, logger });
const hooks: Record<string, () => unknown> = {
  say: () => console.log('hook'),
  fail: () => Promise.reject(new Error('hook failed')),
  hang: () => new Promise(() => {}),
  throws: () => {
    throw undefined;
  },
  thenable: () => ({
    // oxlint-disable-next-line unicorn/no-thenable -- What a hook of an untyped caller may return.
    then() {
      throw null;
    },
  }),
};
const names = (process.argv[3] ?? '').split(',');
const exits: Record<string, () => unknown> = {
  throws: () => {
    throw new Error('exit failed');
  },
  rejects: () => Promise.reject(new Error('exit failed')),
  hangs: () => new Promise((resolve) => setTimeout(resolve, 600_000)),
  nothing: () => server.unref(),
};
const exit = exits[names.find((name) => name.startsWith('exit='))?.slice(5) ?? ''];
drainOnSignals(health, {
  server,
  ...JSON.parse(process.argv[2] ?? '{}'),
  onShutdown: names.flatMap((name) => hooks[name] ?? []),
  ...(exit && { exit }),
});
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});
