import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { JsonLogFormatter } from 'lifesign/logging';
import type { BrokerClient, ProgressOptions } from 'lifesign/checks';
import { checks, createHandler } from 'lifesign';

export { planted } from '../database-scenario.js';

interface Report {
  readonly details: Readonly<Record<string, { readonly messages: Readonly<Record<string, string>> }>>;
}

/** The messages of both checks: an id and some words, or a list of which one is enough; `ok` for none. */
interface Expected {
  readonly broker: string | readonly string[];
  readonly progress: string | readonly string[];
}

/** Short, so that nothing in a test takes long; a real one is a minute or more. */
export const stalledAfter = 1000;

const secrets = /planted_user|pl4nted|wr0ng-S3cret|guest:|amqps?:\/\/|nats:\/\/|mqtts?:\/\/|postgres:\/\//;

/** A broker on which scenarios are seen, one after the other: their texts are those of contributing/brokers.md. */
export class Stage {
  readonly #heading: string;
  readonly #rows: string[] = [];
  /** Everything that was answered or logged: where planted secrets are searched. */
  readonly #output: string[] = [];

  constructor(heading: string) {
    this.#heading = heading;
  }

  /** Both checks on a client and its consumer. */
  watch(broker: BrokerClient, progress: ProgressOptions, timeout = 500): Watch {
    const formatter = new JsonLogFormatter();
    const logger = { log: (record: never) => this.#output.push(formatter.format(record)) };
    const handle = createHandler({ broker, timeout, logger });
    const { health } = handle;
    health.check('progress', checks.progress(progress));
    const beat = async (): Promise<Report> => {
      const answer = await handle('GET', '/__heartbeat__', undefined);
      if (answer === undefined) throw new Error('No answer');
      this.#output.push(answer.body);
      return JSON.parse(answer.body);
    };
    const good = async (): Promise<void> => {
      let { details } = await beat();
      while (isLate(details)) ({ details } = await beat());
      expect(details).toEqual({});
    };
    return {
      beat,
      good,
      see: async (scenario, expected, seconds = 30) => {
        const messages = await until(beat, expected, seconds);
        const cells = [cell(messages.broker), cell(messages.progress)];
        // A scenario in which both are ok has no row, so that one more or less differs from the page.
        if (cells.some((text) => text !== 'ok')) this.#rows.push(`| ${scenario} | ${cells.join(' | ')} |`);
      },
      ok: async (milliseconds) => {
        // Every heartbeat of this time is good, not only the last.
        for (const end = Date.now() + milliseconds; Date.now() < end;) {
          await good();
          await pause(50);
        }
      },
    };
  }

  /** Holds what was seen against the table of contributing/brokers.md; UPDATE_DOCS=1 writes it. */
  expectTable(): void {
    expect(this.#output.join('\n')).not.toMatch(secrets);
    const file = new URL('../../../contributing/brokers.md', import.meta.url);
    const page = readFileSync(file, 'utf8');
    const head = `### ${this.#heading}\n\n| seen | \`check_broker_connected\` | \`checks.progress\` |\n| --- | --- | --- |\n`;
    const start = page.indexOf(head);
    expect(start, `contributing/brokers.md has no table under ${this.#heading}`).toBeGreaterThan(-1);
    const from = start + head.length;
    // The last table ends with the page.
    const next = page.indexOf('\n\n', from - 1) + 1;
    const end = next === 0 ? page.length : next;
    const rows = this.#rows.map((row) => `${row}\n`).join('');
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, page.slice(0, from) + rows + page.slice(end));
    else expect(page.slice(from, end)).toBe(rows);
  }
}

export interface Watch {
  beat(): Promise<Report>;
  /** Beats once, and all is well. A heartbeat that a busy machine made late says nothing: the next one takes its place. */
  good(): Promise<void>;
  /** Beats until both checks say what is expected, which is a row of the table unless both are ok. */
  see(scenario: string, expected: Expected, seconds?: number): Promise<void>;
  /** Beats for a while, and all is well at each beat. */
  ok(milliseconds: number): Promise<void>;
}

type Messages = Readonly<Record<string, string>>;

const isLate = (details: Report['details']) =>
  Object.values(details).some(({ messages }) =>
    / did not answer (?:in time|within)/.test(Object.values(messages).join()),
  );

async function until(
  beat: () => Promise<Report>,
  expected: Expected,
  seconds: number,
): Promise<{ readonly broker: Messages; readonly progress: Messages }> {
  let seen: Report | undefined;
  const matches = (messages: Messages, given: string | readonly string[]) => {
    const found = Object.entries(messages).map(([id, text]) => `${id} ${text}`);
    if (given === 'ok') return found.length === 0;
    return found.length > 0 && found.every((each) => [given].flat().some((one) => says(each, one)));
  };
  for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline;) {
    seen = await beat();
    const broker = seen.details['check_broker_connected']?.messages ?? {};
    const progress = seen.details['progress']?.messages ?? {};
    if (matches(broker, expected.broker) && matches(progress, expected.progress)) return { broker, progress };
    await pause(50);
  }
  throw new Error(`Nobody said ${JSON.stringify(expected)}; the last was ${JSON.stringify(seen?.details)}`);
}

/** Whether a message is `health.E031`, or `health.E031 ECONNREFUSED`: an id, and what its text has to have. */
function says(message: string, expected: string): boolean {
  const [id = '', ...words] = expected.split(' ');
  return message.startsWith(`${id} `) && message.includes(words.join(' '));
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const noAnswer = 'Check check_broker_connected did not answer within N s';

/** The texts without what is another one each time: ports, times and counts. */
function cell(messages: Messages): string {
  const texts = Object.entries(messages).map(([id, text]) => {
    // The first is said once, the other from then on: which of them is seen is a matter of moments.
    const shown = id === 'health.E013' ? ['health.E012', noAnswer] : [id, plain(text)];
    return `\`${shown[0]}\` ${shown[1]}`;
  });
  return texts.length === 0 ? 'ok' : texts.join('<br>');
}

const plain = (text: string) =>
  text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/ \((ECONNRESET|EPIPE)\)/, '')
    .replace(/\b\d+(\.\d+)? (ms|s|min)\b/g, 'N s')
    .replace(/\b\d+ waiting\b/g, 'N waiting')
    .replaceAll('|', String.raw`\|`);

/** What the handler of a consumer does with each job. */
export type Behaviour = 'work' | 'hang' | 'fail';

/** A job that hangs, for as long as it is told to. */
export async function worksAgain(behaviour: () => Behaviour): Promise<void> {
  while (behaviour() === 'hang') await pause(20);
}
