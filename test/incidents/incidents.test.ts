import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { canStart } from '../services/index.js';
import { chosen } from '../whole.js';
import { type Figures, incidents } from './list.js';
import { playAll } from './play.js';

/** The figures of some set-ups of an incident, which took seconds instead of the time that the page needs. */
async function played(file: string, ...setUps: readonly string[]): Promise<readonly Figures[]> {
  expect(incidents.find((each) => each.file === file)?.setUps).toEqual(expect.arrayContaining([...setUps]));
  return (await playAll({ file, setUps }, true)).map(({ figures, error }) => {
    if (figures === undefined) throw error;
    return figures;
  });
}

/** What becomes of each with the usual set-up and with lifesign, at default options. */
const plays: readonly (readonly [name: string, play: () => Promise<void>])[] = [
  [
    'dead pooled connections are replaced; the usual check passes, and no request is served',
    async () => {
      const [usual, lifesign] = await played('dead-connections', 'hand-written', 'lifesign');
      expect(usual).toMatchObject({ said: '`{"status":"ok"}`', recovered: expect.stringMatching(/^no/) });
      expect(lifesign).toMatchObject({ restarts: 0, recovered: expect.stringMatching(/^after /) });
      expect(lifesign?.said).toMatch(/^`health\.E\d+/);
    },
  ],
  [
    'an outage of the shared database takes out and restarts no instance',
    async () => {
      const [usual, lifesign] = await played('shared-dependency', '@godaddy/terminus', 'lifesign');
      expect(usual?.said).toMatch(/; 0 of 2 in rotation$/);
      expect(lifesign).toMatchObject({ restarts: 0, recovered: expect.stringMatching(/^after /) });
      expect(lifesign?.said).toMatch(/^`health\.E\d+.*; 2 of 2 in rotation$/);
    },
  ],
  [
    'a release without its database gets no traffic, whatever page answers every path',
    async () => {
      const [usual, lifesign] = await played('page-as-probe', 'hand-written', 'lifesign');
      expect(usual?.said).toMatch(/^`<!doctype html>.*; 2 of 2 in rotation$/);
      expect(lifesign?.said).toMatch(/^`health\.E003.*; 1 of 2 in rotation$/);
    },
  ],
];

/** One of them; all of them: npm run test:incidents. */
describe.skipIf(!canStart('haproxy') || !canStart('postgres'))('incidents, with default options', () => {
  beforeAll(() => {
    process.env['BUILT'] = inject('built');
  });
  afterAll(() => {
    delete process.env['BUILT'];
  });

  it.each(chosen(plays, 'an outage of the shared database takes out and restarts no instance'))(
    '%s',
    (_name, play) => play(),
  );
});
