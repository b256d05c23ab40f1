const express = require('express');
const { checks, Health, requestId } = require('lifesign/express');
const { signals } = require('lifesign/signals');

it('answers, signals and knows its requests', async () => {
  // Another test file has listened in this process: each has signals of its own.
  expect(signals.listenerCount('heartbeatFailed')).toBe(0);
  const failed = [];
  signals.on('heartbeatFailed', ({ status }) => failed.push(status));

  const app = express();
  const health = new Health(app);
  health.check('storage', async () => [new checks.Warning('Slow', { id: 'acme.W001' })]);
  app.get('/', (_req, res) => res.json({ id: requestId() }));
  const server = app.listen(0);
  const ask = (path) =>
    fetch(`http://127.0.0.1:${server.address().port}${path}`, { headers: { 'x-request-id': 'abc' } });

  const heartbeat = await ask('/__heartbeat__');
  expect(heartbeat.status).toBe(500);
  expect((await heartbeat.json()).checks).toEqual({ storage: 'warning' });
  expect(failed).toEqual(['warning']);
  expect(await (await ask('/')).json()).toEqual({ id: 'abc' });
  // Node's errors are of another realm here: a missing file is still known as one.
  expect((await ask('/__version__')).status).toBe(404);
  await new Promise((resolve) => server.close(resolve));
});
