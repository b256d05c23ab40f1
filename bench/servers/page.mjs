// A service whose health page has something new every second.
import { createServer } from 'node:http';
import { Health } from 'lifesign/node';
import { addChecks } from './checks.mjs';

export const lifesign = (options, checks) => {
  const server = createServer((_req, res) => res.end());
  const health = addChecks(new Health(server, { ...options, page: true }), checks);
  let beats = 0;
  health.check('changes', () => [{ id: 'bench.W001', level: 'warning', msg: `beat ${beats}` }]);
  setInterval(async () => {
    beats += 1;
    await health.heartbeat();
  }, 1000);
  return server;
};
