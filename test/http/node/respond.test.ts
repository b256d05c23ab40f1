import { createServer, get } from 'node:http';
import { expect, it } from 'vitest';
import { Health } from 'lifesign/node';
import { collect, listening } from '../serving.js';

it.each(['/__lbheartbeat__', '/__heartbeat__'])(
  'an answer of %s that cannot be written is logged, and its connection closed',
  async (path) => {
    const thrown = new Error('theirs');
    const { logger, records } = collect();
    const listener = new Health({ logger, summary: false }).listener((_req, res) => res.end());
    const server = createServer((req, res) => {
      res.writeHead = () => {
        throw thrown;
      };
      listener(req, res);
    });
    const origin = await listening(server);
    const ended = new Promise((resolve) => get(`${origin}${path}`).once('error', resolve));
    expect(await ended).toMatchObject({ code: 'ECONNRESET' });
    expect(records.map(({ msg, error }) => [msg, error])).toEqual([
      ['An answer could not be written', thrown],
    ]);
  },
);
