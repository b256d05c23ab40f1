import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Health, requestId } from 'lifesign/node';
import { turn, until } from '../../core/waiting.js';
import { collect, listening } from '../serving.js';

const bodies = {
  length: 'Content-Length: 5\r\n\r\nhello',
  chunked: 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
} as const;
const events = ['readable', 'data', 'end', 'close', 'error', 'aborted'] as const;
const answers = ['at once', 'later', 'never'] as const;

interface Case {
  readonly body: keyof typeof bodies;
  readonly event: (typeof events)[number];
  readonly answer: (typeof answers)[number];
  readonly late: boolean;
}
const cases: Case[] = [];
for (const body of ['length', 'chunked'] as const)
  for (const event of events)
    for (const answer of answers) for (const late of [false, true]) cases.push({ body, event, answer, late });

/** Handles request `/N` as case N says, and notes the id in each event. */
async function handle(
  req: IncomingMessage,
  res: ServerResponse,
  seen: Map<string, unknown[]>,
  ended: Set<string>,
) {
  const url = String(req.url);
  const { event, answer, late } = cases[Number(url.slice(1))] as Case;
  const ids: unknown[] = [];
  res.on('close', () => ended.add(url));
  const listen = () => req.on(event, () => ids.push(requestId()));
  seen.set(url, ids);
  if (late) await turn();
  listen();
  if (answer === 'later') await turn();
  if (answer !== 'never') res.end('ok');
}

test.each([{}, { summary: false }])('every event of a request is inside its context: %o', async (options) => {
  const seen = new Map<string, unknown[]>();
  const ended = new Set<string>();
  const server = createServer((req, res) => void handle(req, res, seen, ended));
  const health = new Health(server, { logger: collect().logger, ...options });
  onTestFinished(() => health.close());
  const port = Number(new URL(await listening(server)).port);
  let socket = connect(port, '127.0.0.1').resume();
  for (const [number, { body, answer }] of cases.entries()) {
    socket.write(`POST /${number} HTTP/1.1\r\nHost: x\r\nX-Request-Id: id-${number}\r\n${bodies[body]}`);
    if (answer === 'never') {
      await until(() => seen.has(`/${number}`));
      await turn();
      socket.destroy();
      socket = connect(port, '127.0.0.1').resume();
    }
    await until(() => ended.has(`/${number}`));
    await turn();
  }
  socket.destroy();
  const wrong = cases.flatMap((each, number) => {
    const ids = seen.get(`/${number}`) ?? ['not handled'];
    return ids.every((id) => id === `id-${number}`) ? [] : [{ ...each, ids }];
  });
  expect(wrong).toEqual([]);
  expect([...seen.values()].flat().length).toBeGreaterThan(cases.length / 3);
});
