import type { AddressInfo } from 'node:net';
import express from 'express';
import { checks, Health } from 'lifesign/express';
import { levels } from 'lifesign';
import { signals } from 'lifesign/signals';

const app = express();
const health = new Health(app, {
  summary: false,
  logger: { log: (record) => record.logger },
  details: (request) => request.headers.authorization === undefined,
});

class Shop {
  readonly text = 'Slow';

  @health.check
  async storage({ signal }: checks.CheckContext) {
    return signal.aborted ? [] : [new checks.Warning(this.text, { id: 'acme.W001' })];
  }

  @health.versionCallback
  version(versionPath: string) {
    return { path: versionPath };
  }
}
new Shop();

signals.on('heartbeatFailed', ({ level }) => console.log(level === levels.warning));
const server = app.listen(0, async () => {
  const { port } = server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/__heartbeat__`);
  console.log(reply.status, await reply.text());
  server.close();
});
