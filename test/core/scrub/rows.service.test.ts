import { inspect } from 'node:util';
import * as fc from 'fast-check';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonLogFormatter } from 'lifesign/logging';
import { Health } from 'lifesign/fetch';
import { checks, type LogRecord } from 'lifesign';
import { sharedService } from '../../services/index.js';
import { mysqlSenders, postgresSenders, type Sender, sqliteSenders } from './rows/clients.js';
import {
  type Failing,
  mysqlFailing,
  mysqlTables,
  postgresFailing,
  postgresTables,
  sqliteFailing,
  sqliteTables,
} from './rows/statements.js';

/** Made-up data of a customer; each part is looked for. */
const part = fc
  .array(fc.constantFrom(...Array.from('bcdfghjkmnpqrstvwxzBCDFGHJKMNPQRSTVWXZ23456789')), {
    minLength: 9,
    maxLength: 11,
  })
  .map((letters) => letters.join(''));
/** What may stand between the parts: whatever follows values in messages, so that the end is found too early. */
const between = fc.constantFrom(
  ' ',
  '@',
  ', ',
  "'",
  '"',
  '`',
  ') ',
  '(',
  '{',
  '}',
  ']',
  '\n',
  '\\',
  ' - ',
  "' for key '",
  ') already exists.',
  "' at line 1",
  '" is out of range',
  '\n    at x (',
  '\n\n',
  '$1',
  '?',
  "''",
  ' where id = ',
  '; ',
  '] ',
  ' params: ',
);
const data = fc.record({ parts: fc.tuple(part, part, part), betweens: fc.tuple(between, between) });
const textOf = ({ parts, betweens }: { parts: readonly string[]; betweens: readonly string[] }) =>
  `${parts[0]}${betweens[0]}${parts[1]}${betweens[1]}${parts[2]}`;

/** Ways in which applications pass an error on. */
const passedOn: readonly ((error: Error) => unknown)[] = [
  (error) => error,
  (error) => new Error(`saving failed: ${error.message}`, { cause: error }),
  (error) => new Error(error.message),
  (error) => error.message,
  (error) => new AggregateError([error], ''),
  (error) => new Error('saving failed', { cause: error }),
  (error) => new Error(`saving failed ${error}`),
];

/** Everything that lifesign shows of an error that a check throws, and of one that it returns as a message. */
class Shown {
  readonly #lines: string[] = [];
  #thrown: unknown;
  #said = '';
  readonly #healths: readonly Health[];

  constructor() {
    const formatter = new JsonLogFormatter();
    const own = { log: (record: LogRecord) => void this.#lines.push(formatter.format(record)) };
    const library = pino({ level: 'trace' }, { write: (line: string) => void this.#lines.push(line) });
    this.#healths = [own, library].map((logger) => {
      const health = new Health({ logger, metrics: true, page: true, details: true, summary: false });
      health.check('thrown', () => {
        throw this.#thrown;
      });
      health.check('said', () => [new checks.Error(this.#said, { id: 'a.E1' })]);
      return health;
    });
  }

  async of(thrown: unknown, said: string): Promise<string> {
    this.#said = said;
    this.#lines.length = 0;
    this.#thrown = thrown;
    for (const health of this.#healths) {
      for (const path of ['/__heartbeat__', '/__metrics__', '/__health__', '/__health__/data']) {
        const answer = await health.respond(new Request(`http://localhost${path}`));
        this.#lines.push((await answer?.text()) ?? '');
      }
    }
    return this.#lines.join('\n');
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

async function failureOf(
  sender: Sender,
  { text, values }: Failing,
  value: string,
): Promise<Error | undefined> {
  try {
    await sender.send(text, values(value));
  } catch (error) {
    return error as Error;
  }
  return undefined;
}

const databases = [
  {
    name: 'PostgreSQL',
    url: sharedService('postgres'),
    senders: postgresSenders,
    tables: postgresTables,
    failing: postgresFailing,
  },
  {
    name: 'MariaDB',
    url: sharedService('mariadb'),
    senders: mysqlSenders,
    tables: mysqlTables,
    failing: mysqlFailing,
  },
  { name: 'SQLite', url: 'memory', senders: sqliteSenders, tables: sqliteTables, failing: sqliteFailing },
];

describe.each(databases)('what customers have stored in $name', ({ url, senders, tables, failing }) => {
  describe.skipIf(url === undefined)('is shown nowhere', () => {
    const opened: Sender[] = [];
    beforeAll(async () => {
      opened.push(...senders(url ?? ''));
      for (const table of tables) await opened[0]?.send(table, []);
    });
    afterAll(() => Promise.all(opened.map((sender) => sender.close())));

    it('whichever client and statement fails', async () => {
      const failed = new Set<string>();
      const leaks: string[] = [];
      const all = new Shown();
      const samples = fc.sample(
        fc.tuple(data, fc.constantFrom(...passedOn)),
        Number(process.env['ROWS'] ?? 1),
      );
      for (const [{ parts, betweens }, pass] of samples) {
        const value = textOf({ parts, betweens });
        await opened[0]?.send('delete from people', []);
        await opened[0]?.send('insert into people (id, email, code) values (1, ?, ?)', [value, 'a']);
        for (const sender of opened) {
          for (const statement of failing(value)) {
            // What a function of the database says in its own words is known by its code only.
            if (statement.name === 'raised' && pass !== passedOn[0]) continue;
            const error = await failureOf(sender, statement, value);
            if (error === undefined) continue;
            failed.add(`${sender.name}: ${statement.name}`);
            const shown = await all.of(
              pass(error),
              statement.name === 'raised' ? '' : messageOf(pass(error)),
            );
            const at = parts.map((each) => shown.indexOf(each.slice(0, 8))).find((index) => index !== -1);
            if (at !== undefined)
              leaks.push(
                `${sender.name}, ${statement.name}, ${String(pass)}: ${inspect(error.message)}\n-> ${shown.slice(Math.max(0, at - 200), at + 100)}`,
              );
          }
        }
      }
      expect(leaks).toEqual([]);
      // Of nearly all of them: some statements work in some clients.
      expect(failed.size).toBeGreaterThan(0.7 * opened.length * failing('').length);
    });
  });
});
