// A script that asks for one heartbeat, of a check that never answers: nothing else keeps it alive.
import { createServer } from 'node:http';
import { Health } from 'lifesign/node';

const health = new Health(createServer(), { logger: false });
health.check('stuck', () => new Promise<never>(() => {}), { timeout: 200 });
const { results } = await health.heartbeat();
process.send?.(results.flatMap(({ messages }) => messages.map(({ id }) => id)));
process.disconnect();
