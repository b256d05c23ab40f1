import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { expect, test } from 'vitest';
import { isSession, sessionOf, Sessions } from '../../../src/http/drain/sessions.js';

/** A session, and what it was told. */
function session() {
  const told: string[] = [];
  const made = Object.assign(new EventEmitter(), {
    destroyed: false,
    goaway: (code: number, last: number) => void told.push(`goaway ${code} ${last}`),
    close: () => void told.push('close'),
  });
  return { made: made as unknown as ServerHttp2Session & { destroyed: boolean }, told };
}
const goaway = `goaway 0 ${2 ** 31 - 1}`;

test('each open session is sent away once and closed; one that is over is forgotten', () => {
  const sessions = new Sessions();
  const [one, over, gone] = [session(), session(), session()];
  for (const { made } of [one, one, over, gone]) sessions.note(made);
  expect(sessions.open.size).toBe(3);
  over.made.emit('close');
  gone.made.destroyed = true;
  sessions.sendAway();
  sessions.sendAway();
  sessions.close();
  expect([one.told, over.told, gone.told]).toEqual([[goaway, 'close'], [], ['close']]);
});

test('a client that connects while the server leaves is told with its first stream', () => {
  const sessions = new Sessions();
  const [early, late] = [session(), session()];
  sessions.noteStream(undefined);
  sessions.sendAway();
  sessions.noteStream(early.made);
  sessions.noteStream(early.made);
  sessions.close();
  sessions.noteStream(late.made);
  expect(early.told).toEqual([goaway, 'close']);
  expect(late.told).toEqual(['close']);
});

test('the session of a stream is found where it is there', () => {
  const { made } = session();
  expect(sessionOf({ session: made })).toBe(made);
  for (const stream of [undefined, null, 7, {}, { session: undefined }, { session: { close() {} } }]) {
    expect(sessionOf(stream)).toBeUndefined();
  }
  expect([made, {}, null, 'session'].map(isSession)).toEqual([true, false, false, false]);
});
