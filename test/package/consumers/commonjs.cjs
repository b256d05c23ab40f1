const express = require('express');
const { checks, Health } = require('lifesign/express');
const { levels } = require('lifesign');
const { signals } = require('lifesign/signals');

const app = express();
const health = new Health(app, { summary: false, logger: { log() {} } });
health.check(function storage() {
  return [new checks.Warning('Slow', { id: 'acme.W001' })];
});
signals.on('heartbeatFailed', ({ level }) => console.log(level === levels.warning));
const server = app.listen(0, async () => {
  const reply = await fetch(`http://127.0.0.1:${server.address().port}/__heartbeat__`);
  console.log(reply.status, await reply.text());
  server.close();
});
