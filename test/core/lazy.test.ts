import { expect, it } from 'vitest';
import { Lazy } from '../../src/core/lazy.js';
import { currentRequest, RequestContext, runInRequest } from '../../src/core/request/request.js';
import { turn } from './waiting.js';

/** What is loaded notes what it is told. */
class Notes {
  readonly lines: unknown[] = [];
}

/** A lazy one whose loading is settled by hand, and how often it was begun. */
function lazyNotes() {
  const loads: { resolve: (notes: Notes) => void; reject: (error: Error) => void }[] = [];
  const lazy = new Lazy(() => new Promise<Notes>((resolve, reject) => void loads.push({ resolve, reject })));
  return { lazy, loads, note: (line: unknown) => lazy.whenLoaded(({ lines }) => void lines.push(line)) };
}

it('is loaded when it is needed, once', async () => {
  const { lazy, loads } = lazyNotes();
  expect(loads).toHaveLength(0);
  const [first, second] = [lazy.load(), lazy.load()];
  expect(loads).toHaveLength(1);
  expect(lazy.value).toBeUndefined();
  const notes = new Notes();
  loads[0]?.resolve(notes);
  expect([await first, await second, lazy.value, await lazy.load()]).toEqual([notes, notes, notes, notes]);
  expect(loads).toHaveLength(1);
});

it('what happens before is kept, in order, and told once', async () => {
  const { lazy, loads, note } = lazyNotes();
  note('a');
  note('b');
  expect(loads).toHaveLength(1);
  const notes = new Notes();
  loads[0]?.resolve(notes);
  await lazy.load();
  expect(notes.lines).toEqual(['a', 'b']);
  note('c');
  expect(notes.lines).toEqual(['a', 'b', 'c']);
});

it('of a flood before it is there the first thousand are kept', async () => {
  const { lazy, loads, note } = lazyNotes();
  for (let line = 0; line < 1010; line += 1) note(line);
  const notes = new Notes();
  loads[0]?.resolve(notes);
  await lazy.load();
  expect(notes.lines).toHaveLength(1000);
  expect(notes.lines.at(-1)).toBe(999);
});

it('what could not be loaded is told to whoever asks, and tried again', async () => {
  const { lazy, loads, note } = lazyNotes();
  // Nobody waits for this one: its rejection must not reach the process.
  note('a');
  const asked = lazy.load();
  loads[0]?.reject(new Error('no such chunk'));
  await expect(asked).rejects.toThrow('no such chunk');
  await turn();
  expect(lazy.value).toBeUndefined();
  const again = lazy.load();
  expect(loads).toHaveLength(2);
  const notes = new Notes();
  loads[1]?.resolve(notes);
  expect(await again).toBe(notes);
  expect(notes.lines).toEqual(['a']);
});

it('is loaded on behalf of no request', async () => {
  const seen: unknown[] = [];
  const lazy = new Lazy(async () => void seen.push(currentRequest()));
  const context = new RequestContext({ givenId: undefined });
  runInRequest(context, () => {
    expect(currentRequest()).toBe(context);
    void lazy.load();
  });
  await lazy.load();
  expect(seen).toEqual([undefined]);
});
