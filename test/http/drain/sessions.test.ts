import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { expect, test } from 'vitest';
import { isSession, Sessions } from '../../../src/http/drain/sessions.js';

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
const stream = (of: ServerHttp2Session | undefined, sent: object = {}) =>
  Object.assign(new EventEmitter(), { session: of, ...sent });
const goaway = `goaway 0 ${2 ** 31 - 1}`;

test('each open session is sent away once and closed; one that is over is forgotten', () => {
  const sessions = new Sessions();
  const [one, over, gone] = [session(), session(), session()];
  for (const { made } of [one, one, over, gone]) sessions.note(made);
  expect(sessions.open).toHaveLength(3);
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
  sessions.noteStream(stream(early.made));
  sessions.noteStream(stream(early.made));
  sessions.close();
  sessions.noteStream(stream(late.made));
  expect(early.told).toEqual([goaway, 'close']);
  expect(late.told).toEqual(['close']);
});

test('a stream without a session is ignored', () => {
  const sessions = new Sessions();
  for (const each of [null, 7, {}, stream(undefined), { session: { close() {} } }]) sessions.noteStream(each);
  expect(sessions.open).toEqual([]);
  expect([session().made, {}, null, 'session'].map(isSession)).toEqual([true, false, false, false]);
});

test('only endless streams are left: event streams at once, those of unknown length after 2 s', () => {
  const sessions = new Sessions();
  const { made } = session();
  const events = stream(made, { sentHeaders: { 'content-type': 'text/event-stream; charset=utf-8' } });
  const download = stream(made, { sentHeaders: { 'content-type': 'video/mp4' } });
  const known = stream(made, { sentHeaders: { 'content-length': '9' } });
  const ended = stream(made, { sentHeaders: {}, writableEnded: true });
  const silent = stream(made);
  sessions.noteStream(events);
  expect(sessions.isOnlyEndless(0)).toBe(true);
  for (const [other, later] of [
    [download, true],
    [known, false],
    [ended, false],
    [silent, false],
  ] as const) {
    sessions.noteStream(other);
    expect([sessions.isOnlyEndless(0), sessions.isOnlyEndless(2000)]).toEqual([false, later]);
    other.emit('close');
  }
  events.emit('close');
  // The session itself closes by itself.
  expect(sessions.isOnlyEndless(5000)).toBe(false);
});
