import { mkdir, rm } from 'node:fs/promises';
import { expect } from 'vitest';
import { heartbeats } from '../../checks/heartbeats.js';
import { migrationFiles } from '../../checks/migration-files.js';
import type { DialectLibrary } from './libraries.js';
import type { Opened, Place } from './place.js';

export async function using<T>(opened: Opened, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    await opened.close();
  }
}

const messages = (found: object) => ({
  check_migrations_applied: expect.objectContaining({ messages: found }),
});

interface Scenario {
  readonly place: Place;
  /** Who may only read. */
  readonly reader: Place;
  /** Everything a write would change. */
  state(): Promise<unknown>;
}

/** Unapplied, applied, one more, applied, a newer build: and nothing is written. */
export async function exercise(library: DialectLibrary, { place, reader, state }: Scenario): Promise<void> {
  const { names, write } = migrationFiles[library.name];
  const [first, second] = names;
  const beat = async (count: number) => {
    const opened = await library.open(reader, count);
    return using(
      opened,
      async () => (await heartbeats({ migrations: opened.source, timeout: 20_000 }).beat()).details,
    );
  };
  const apply = async (count: number) => {
    const opened = await library.open(place, count);
    await using(opened, opened.apply);
  };

  await write(place.folder, 1);
  // What opening alone does is the library's.
  await using(await library.open(place, 1), async () => {});
  const before = await state();
  expect(await beat(1)).toEqual(messages({ 'health.W001': `Unapplied migrations found: ${first}` }));
  expect(await state()).toEqual(before);

  await apply(1);
  expect(await beat(1)).toEqual({});
  await write(place.folder, 2);
  const applied = await state();
  expect(await beat(2)).toEqual(messages({ 'health.W001': `Unapplied migrations found: ${second}` }));
  expect(await state()).toEqual(applied);

  await apply(2);
  expect(await beat(2)).toEqual({});
  await rm(place.folder, { recursive: true });
  await mkdir(place.folder);
  await write(place.folder, 1);
  const older = await beat(1);
  if (library.name === 'Drizzle') {
    expect(JSON.stringify(older)).toContain('unknown to this build: one of 2023-11-14T22:13:20.001Z');
  } else {
    expect(older).toEqual(messages({ 'health.I003': `Applied migrations unknown to this build: ${second}` }));
  }
}
