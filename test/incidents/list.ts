/** An incident as the table of docs/incidents.md has it. */
export interface Incident {
  /** Its file in `scenarios`, which exports `play`. */
  readonly file: string;
  /** Its heading in the page. */
  readonly title: string;
  /** The set-ups that go through it side by side. */
  readonly setUps: readonly string[];
}

/** What came of it with one set-up. */
export interface Figures {
  /** `0.6 s` until a probe, a monitor or the log saw it, or `never`. */
  readonly noticed: string;
  readonly lost: number;
  readonly sent: number;
  readonly restarts: number;
  /** `after 3.2 s`, or why not. */
  readonly recovered: string;
  /** What it said of the cause. */
  readonly said: string;
}

/** Plays it with one of its set-ups; `quick` takes seconds, for `npm test`. */
export type Play = (setUp: string, quick?: boolean) => Promise<Figures>;

export const incidents: readonly Incident[] = [
  {
    file: 'dead-connections',
    title: 'Every pooled connection is dead',
    setUps: ['hand-written', 'lightship', 'lifesign'],
  },
  {
    file: 'queue-worker',
    title: 'A queue worker that consumes nothing',
    setUps: ['hand-written', 'lifesign', 'lifesign, restartAfter: 10s'],
  },
  {
    file: 'full-heap',
    title: 'Garbage collection in a full heap',
    setUps: ['hand-written', 'lifesign'],
  },
  {
    file: 'shared-dependency',
    title: 'One shared dependency takes the fleet out',
    setUps: ['@godaddy/terminus', '@nestjs/terminus', 'lifesign'],
  },
  {
    file: 'keep-alive',
    title: 'Sporadic 502s',
    setUps: ['hand-written', 'lifesign', 'lifesign, keepAlive: 65s'],
  },
  {
    file: 'liveness-on-database',
    title: 'A liveness probe that runs the database check',
    setUps: ['hand-written, with the database', '@nestjs/terminus', 'lifesign'],
  },
  {
    file: 'regular-expression',
    title: 'A regular expression blocks the event loop',
    setUps: ['hand-written', 'under-pressure', 'lifesign'],
  },
  {
    file: 'deploy',
    title: 'Requests lost in every deploy',
    setUps: ['@godaddy/terminus', '@nestjs/terminus', 'lifesign'],
  },
  {
    file: 'page-as-probe',
    title: 'A page answers the probe',
    setUps: ['hand-written', 'lifesign', 'lifesign, probed at a path that it does not serve'],
  },
  {
    file: 'wrong-password',
    title: 'A release with a wrong password',
    setUps: ['hand-written', 'lightship', 'lifesign'],
  },
];
