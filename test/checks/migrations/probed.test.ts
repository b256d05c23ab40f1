import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Health } from 'lifesign/node';

class AddUsers1700000000000 {}

it('the verbose probe names the migrations that were not applied', async () => {
  const source = {
    isInitialized: true,
    driver: {},
    options: { type: 'postgres' },
    migrations: [new AddUsers1700000000000()],
    createQueryRunner: () => {},
    query: async () => [],
  };
  const server = createServer();
  const health = new Health(server, { migrations: source, probes: true, logger: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    health.close();
  });
  const { port } = server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/readyz?verbose`);
  expect(await reply.text()).toContain(
    '[-]check_migrations_applied failed: has not passed yet; shared: no second opinion is available for this check ' +
      '(health.W001: Unapplied migrations found: AddUsers1700000000000)\n',
  );
});
