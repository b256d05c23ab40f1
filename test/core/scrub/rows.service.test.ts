import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonLogFormatter } from 'lifesign/logging';
import { Health } from 'lifesign/fetch';
import type { LogRecord } from 'lifesign';
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
  (error) => new AggregateError([error], ''),
  (error) => new Error('saving failed', { cause: error }),
];

/** Of these failures, the log shows no value either, with clients that add none to what PostgreSQL and MySQL print. */
const aboutRows = new Set(['unique', 'not null', 'check', 'update', 'foreign key', 'too long']);

/** What lifesign shows of an error that a check throws: to everyone, and in the log. */
class Shown {
  readonly #lines: string[] = [];
  #thrown: unknown;
  readonly #health: Health;

  constructor() {
    const formatter = new JsonLogFormatter();
    const logger = { log: (record: LogRecord) => void this.#lines.push(formatter.format(record)) };
    this.#health = new Health({ logger, metrics: true, page: true, details: true, summary: false });
    this.#health.check('thrown', () => {
      throw this.#thrown;
    });
  }

  async of(thrown: unknown): Promise<{ readonly answers: string; readonly log: string }> {
    this.#lines.length = 0;
    this.#thrown = thrown;
    const answers: string[] = [];
    for (const path of ['/__heartbeat__', '/__metrics__', '/__health__', '/__health__/data']) {
      const answer = await this.#health.respond(new Request(`http://localhost${path}`));
      answers.push((await answer?.text()) ?? '');
    }
    return { answers: answers.join('\n'), log: this.#lines.join('\n') };
  }
}

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
            const error = await failureOf(sender, statement, value);
            if (error === undefined) continue;
            failed.add(`${sender.name}: ${statement.name}`);
            const { answers, log } = await all.of(pass(error));
            const shown = aboutRows.has(statement.name) ? answers + log : answers;
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
