import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Heartbeat } from 'lifesign';
import type { NodeRequest, NodeResponse } from 'lifesign/node';
import { History } from '../../../src/page/history.js';
import { sendStream } from '../../../src/http/node/stream.js';
import { edited, type Edit } from '../../../src/page/content/edits.js';
import { Rendering } from '../../../src/page/content/events.js';
import { Health as FetchHealth } from 'lifesign/fetch';
import { Feed } from '../../../src/page/content/live.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A feed over a history, whose renderings are numbered lines. */
function feedOf(most = 1000) {
  const history = new History();
  const feed = new Feed(history, most);
  let made = 0;
  let rendering: { readonly of: number; readonly value: Rendering } | undefined;
  const latest = async () => {
    if (rendering?.of !== feed.published) {
      made += 1;
      const piece = { title: 't', status: 'ok', icon: 'i', markup: `top\n${made}\nend` };
      rendering = { of: feed.published, value: new Rendering(piece, rendering?.value) };
    }
    return rendering.value;
  };
  const open = () => {
    const stream = feed.open(latest, false);
    return stream && { stream, iterator: stream[Symbol.asyncIterator]() };
  };
  /** One that there is place for. */
  const opened = () => {
    const page = open();
    if (page === undefined) throw new Error('There is no place');
    return page;
  };
  return { history, feed, open, opened, made: () => made };
}

/** What a reader shows after an event. */
function applied(lines: readonly string[], event: unknown): readonly string[] {
  const news: { markup?: string; edits?: Edit[] } = JSON.parse(String(event).slice('data: '.length));
  return news.markup?.split('\n') ?? edited(lines, news.edits ?? []);
}

describe('the feed of open pages', () => {
  test('a thousand readers share one timer, one subscription and one rendering, and leave nothing', async () => {
    const { history, opened, made } = feedOf();
    const subscribe = vi.spyOn(history, 'subscribe');
    const readers = Array.from({ length: 1000 }, () => opened().iterator);
    expect(vi.getTimerCount()).toBe(1);
    expect(subscribe).toHaveBeenCalledTimes(1);
    await Promise.all(readers.map((reader) => reader.next()));
    const waiting = readers.map((reader) => reader.next());
    history.announce();
    const events = await Promise.all(waiting);
    expect(new Set(events.map((event) => event.value)).size).toBe(1);
    expect(made()).toBe(2);
    for (const reader of readers) await reader.return?.();
    expect(vi.getTimerCount()).toBe(0);
    expect(await readers[0]?.next()).toEqual({ done: true, value: undefined });
  });

  test('a reader gets the whole state, then what changed, then the whole again when it has missed something', async () => {
    const { history, opened, made } = feedOf();
    const [quick, slow] = [opened().iterator, opened().iterator];
    let lines = applied([], (await quick.next())?.value);
    await slow.next();
    for (let times = 0; times < 5; times += 1) {
      const next = quick.next();
      history.announce();
      vi.advanceTimersByTime(1000);
      const { value } = (await next) ?? {};
      expect(String(value)).toContain('"edits":[1,');
      lines = applied(lines, value);
      expect(lines).toEqual(['top', String(made()), 'end']);
    }
    const late = await slow.next();
    expect(String(late?.value)).toContain('"markup"');
    expect(applied([], late?.value)).toEqual(lines);
    await quick.return?.();
    await slow.return?.();
  });

  test('a storm is told once a second, and the last state of it is always told', async () => {
    const { history, feed, opened, made } = feedOf();
    const reader = opened().iterator;
    await reader.next();
    let waiting = reader.next();
    let told = 0;
    for (let ms = 0; ms < 10_000; ms += 10) {
      history.announce();
      const before = made();
      vi.advanceTimersByTime(10);
      await Promise.resolve();
      if (made() === before) continue;
      told += 1;
      await waiting;
      waiting = reader.next();
      await Promise.resolve();
    }
    expect(told).toBeGreaterThanOrEqual(9);
    expect(told).toBeLessThanOrEqual(11);
    vi.advanceTimersByTime(2000);
    expect(feed.published).toBe(history.revision);
    await reader.return?.();
    await waiting;
  });

  test('signs of life come while nothing happens', async () => {
    const { opened } = feedOf();
    const reader = opened().iterator;
    await reader.next();
    const waiting = reader.next();
    vi.advanceTimersByTime(16_000);
    expect((await waiting)?.value).toBe(': still here\n\n');
    await reader.return?.();
  });

  test('health.close() lets open pages go, and keeps new ones from staying', async () => {
    const { history, opened } = feedOf();
    const reader = opened().iterator;
    await reader.next();
    const waiting = reader.next();
    history.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await opened().iterator.next()).toEqual({ done: true, value: undefined });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('so many readers at most; one that leaves, or that never began, makes place', async () => {
    const { open } = feedOf(2);
    const first = open();
    open();
    expect(open()).toBe(undefined);
    await first?.iterator.return?.();
    expect(open()).not.toBe(undefined);
    expect(open()).toBe(undefined);
    vi.advanceTimersByTime(32_000);
    expect(open()).not.toBe(undefined);
  });

  test('a reader that takes nothing for 30 s is given up; one that waits for news is not', async () => {
    const { opened } = feedOf(2);
    const [stuck, patient] = [opened(), opened()];
    const ends: string[] = [];
    stuck.stream.onStuck = () => ends.push('stuck');
    patient.stream.onStuck = () => ends.push('patient');
    await stuck.iterator.next();
    await patient.iterator.next();
    let waiting = patient.iterator.next();
    for (let seconds = 0; seconds < 60; seconds += 1) {
      vi.advanceTimersByTime(1000);
      if ((await Promise.race([waiting, Promise.resolve()])) !== undefined) waiting = patient.iterator.next();
    }
    expect(ends).toEqual(['stuck']);
    await patient.iterator.return?.();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('on node:http the connection of such a reader is cut, and what is kept for it goes', async () => {
    const { opened, feed } = feedOf();
    const page = opened();
    const written: unknown[] = [];
    const res = {
      write: (piece: unknown) => written.push(piece),
      on: () => {},
      end: () => {},
      destroy: vi.fn<() => void>(),
    };
    const server = { listening: true };
    const req = { socket: { server, destroyed: false } };
    void sendStream(req as unknown as NodeRequest, res as unknown as NodeResponse, page.stream);
    for (let seconds = 0; seconds < 40; seconds += 1) {
      feed.history.announce();
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(1000);
    }
    expect(written.length).toBe(1);
    expect(res.destroy).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([
  ['of Node', true],
  ['of another runtime', false],
])('a stuck reader of a fetch handler on a server %s is given up, its connection cut', async (_, onNode) => {
  const health = new FetchHealth({ page: true, logger: false });
  const server = { listening: true };
  const incoming = { url: '/__health__/events', socket: { server, destroyed: false } };
  const outgoing = { headersSent: false, writableEnded: false, on: () => {}, destroy: vi.fn<() => void>() };
  const answer = await health.respond(
    new Request('http://a.example/__health__/events'),
    onNode ? { incoming: Object.assign(incoming, { headers: {} }), outgoing } : undefined,
  );
  const reader = answer?.body?.getReader();
  await reader?.read();
  vi.advanceTimersByTime(32_000);
  await expect(reader?.read()).rejects.toThrow('The client has stopped reading');
  expect(outgoing.destroy).toHaveBeenCalledTimes(onNode ? 1 : 0);
  expect(vi.getTimerCount()).toBe(0);
});

test('a heartbeat of 200 checks sends an open page a small part of the page', async () => {
  vi.useRealTimers();
  const { openPage } = await import('../../../src/page/content/index.js');
  const history = new History();
  const options = {
    failLevel: 'warning',
    failedStatusCode: 500,
    loggerName: 'acme',
    publicMessages: true,
  } as const;
  const page = await openPage({
    history,
    options,
    page: { path: '/__health__', connections: 10 },
    version: async () => ({ kind: 'missing' }),
    draining: () => false,
  });
  const results = (beat: number) =>
    Array.from({ length: 200 }, (_, index) => ({
      name: `check_number_${index}`,
      level: 0 as const,
      status: 'ok' as const,
      messages: [],
      duration: ((index * 7 + beat * 13) % 50) / 3,
    }));
  const record = (beat: number) =>
    history.record({ level: 0, status: 'ok', results: results(beat) } as unknown as Heartbeat);
  for (let beat = 0; beat < 100; beat += 1) record(beat);
  const { stream } = await page.answer('events', true, '', true);
  const iterator = stream?.[Symbol.asyncIterator]();
  const whole = String((await iterator?.next())?.value);
  const waiting = iterator?.next();
  record(100);
  const news = String((await waiting)?.value);
  expect(whole.length).toBeGreaterThan(100_000);
  // All 200 durations, which have changed: no more than their numbers and where they belong.
  expect(news.length).toBeLessThan(whole.length / 15);
  await iterator?.return?.();
});
