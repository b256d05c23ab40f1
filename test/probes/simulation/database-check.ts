import type { CheckResult } from 'lifesign';
import { leakedAfter } from '../../../src/checks/pools/pool.js';
import { opinionBy } from '../../../src/checks/second-opinion/opinion.js';
import type { ProbesHost } from '../../../src/probes/feature.js';
import type { Mutant } from './process.js';
import { Connection, Failed, type Pool, type Reach } from './pool.js';

const name = 'check_database_connected';
const timeout = 5000;
/** The share of its time that the check waits for a connection. */
const waitingShare = 0.9;

type RegisteredCheck = ReturnType<ProbesHost<never>['checks']>[number];
type SecondOpinion = NonNullable<RegisteredCheck['secondOpinion']>;
type OpinionContext = Parameters<SecondOpinion['ask']>[0];
/** Whose fault a failure is. */
export type Opinion = Awaited<ReturnType<SecondOpinion['ask']>>;

type Outcome = NonNullable<CheckResult['fault']> | 'late' | 'ok';

let runs = 0;

/** The result of a run, as the core makes it. */
function resultOf(outcome: Outcome, duration: number): CheckResult {
  const common = {
    name,
    key: `"${name}"`,
    duration,
    run: (runs += 1),
    mark: { announced: false },
  };
  if (outcome === 'ok') return { ...common, level: 0, status: 'ok', failed: false, messages: [] };
  const fault = outcome === 'late' ? undefined : outcome;
  const message = { id: 'health.E001', level: 40, text: 'failed', hint: undefined, fault } as const;
  return { ...common, level: 40, status: 'error', failed: true, messages: [message], fault };
}

/** A request to the pool; `taken` while a run waits for it. */
interface Asked {
  readonly connection: Promise<Connection>;
  taken: boolean;
}

/** `check_database_connected` over a simulated pool, with the second opinion of the package. */
export class DatabaseCheck {
  readonly registered: RegisteredCheck;
  /** Called when a second opinion is asked for. */
  onOpinion: () => void = () => {};
  /** Called when a connection is made for a peer that asks. */
  onReach: () => void = () => {};
  readonly #reach: Reach;
  readonly #pool: Pool;
  /** The request that a run could not wait for. */
  #left: Asked | undefined;

  constructor(reach: Reach, pool: Pool, mutant: Mutant = {}) {
    this.#reach = reach;
    this.#pool = pool;
    const opinion = opinionBy(
      pool,
      {
        connect: () => this.#fresh(),
        usage: () => pool.usage(),
        held: () => ({ ...pool.held(), idleAfter: leakedAfter, pooled: true }),
        onCheckout(listener) {
          pool.onLend.add(listener);
          return () => void pool.onLend.delete(listener);
        },
        queues: true,
      },
      reach.clock,
    );
    if (opinion === undefined) throw new Error('No second opinion');
    const secondOpinion = {
      ...opinion,
      reaches: async (within: number) => {
        this.onReach();
        return opinion.reaches?.(within);
      },
      ask: async (context: OpinionContext) => {
        this.onOpinion();
        const given = await opinion.ask(context);
        return mutant.opinion?.(given) ?? given;
      },
    };
    const scope = mutant.countsEverything === true ? 'instance' : 'auto';
    // The probes use nothing else of it.
    this.registered = { name, key: `"${name}"`, maxLevel: 50, scope, secondOpinion } as never;
  }

  async run(): Promise<CheckResult> {
    const { clock } = this.#reach;
    const start = clock.now();
    return resultOf(await this.#outcome(), clock.now() - start);
  }

  async #outcome(): Promise<Outcome> {
    const { clock } = this.#reach;
    const start = clock.now();
    const asked = this.#left ?? { connection: this.#pool.take(), taken: true };
    asked.taken = true;
    this.#left = undefined;
    let connection: Connection | undefined;
    try {
      connection = await clock.within<Connection | undefined>(
        asked.connection,
        timeout * waitingShare,
        undefined,
      );
      if (connection === undefined) {
        this.#leave(asked);
        const { used, max } = this.#pool.usage();
        return used >= max ? 'exhausted' : 'unreachable';
      }
      const answered = connection.run(1, false).then(() => true);
      const isInTime = await clock.within(answered, timeout - (clock.now() - start), false);
      // As the check does with one that gives no answer.
      if (!isInTime) connection.close();
      answered.catch(() => {});
      return isInTime ? 'ok' : 'late';
    } catch (error) {
      return error instanceof Failed ? error.fault : 'late';
    } finally {
      if (connection !== undefined) this.#pool.giveBack(connection);
    }
  }

  /** It stays in the queue for the next run; what it gets when no run waits for it is given back. */
  #leave(asked: Asked): void {
    asked.taken = false;
    this.#left = asked;
    asked.connection.then(
      (connection) => {
        if (asked.taken) return;
        this.#left = undefined;
        this.#pool.giveBack(connection);
      },
      () => {
        if (this.#left === asked) this.#left = undefined;
      },
    );
  }

  #fresh() {
    const { database, clock } = this.#reach;
    const connection = new Connection(this.#reach);
    const answered = connection.open().then(() => connection.run(1, false));
    answered.catch(() => {});
    const id = () => connection.session?.id ?? Number.NaN;
    return {
      identity: 'the database',
      answered: answered.catch((error: unknown) => {
        const code = error instanceof Failed ? codes[error.fault] : 'EUNKNOWN';
        throw Object.assign(new Error('failed'), { code });
      }),
      inquiry: {
        id,
        statement: (ids: readonly number[]) => JSON.stringify(ids),
        async query(sql: string) {
          await connection.run(1, false);
          return database.activity(JSON.parse(sql) as number[], id());
        },
      },
      close() {
        connection.close();
        return new Promise<void>((resolve) => void clock.after(2, resolve));
      },
    };
  }
}

const codes = { unreachable: 'ECONNREFUSED', full: '53300', misconfigured: '28P01', broken: 'ECONNRESET' };
