import { JsonLogFormatter } from 'lifesign/logging';
import { createHandler, type HealthOptions } from 'lifesign';

interface Report {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, { readonly messages: Readonly<Record<string, string>> }>>;
}

/** Everything that any Health made here answered and logged. */
const everything: string[] = [];

/** All bodies and log lines since the last call: where planted secrets are searched. */
export function takeOutput(): string {
  return everything.splice(0).join('\n');
}

/** Heartbeats as a client sees them: the body of `/__heartbeat__`. */
export function heartbeats(options: HealthOptions) {
  const formatter = new JsonLogFormatter();
  const logger = { log: (record: never) => everything.push(formatter.format(record)) };
  const handle = createHandler({ timeout: 400, ...options, logger });

  async function beat(): Promise<Report> {
    const answer = await handle('GET', '/__heartbeat__', undefined);
    if (answer === undefined) throw new Error('No answer');
    everything.push(answer.body);
    return JSON.parse(answer.body);
  }

  /** The message ids of one heartbeat, in all checks. */
  async function ids(): Promise<readonly string[]> {
    const { details } = await beat();
    return Object.values(details).flatMap(({ messages }) => Object.keys(messages));
  }

  /** Beats until a heartbeat has these ids; an empty list for one without messages. */
  async function until(expected: readonly string[], seconds = 30): Promise<void> {
    let seen: Report | undefined;
    for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline;) {
      seen = await beat();
      const found = Object.values(seen.details).flatMap(({ messages }) => Object.keys(messages));
      if (
        expected.length === 0
          ? found.length === 0
          : found.length > 0 && found.every((id) => expected.includes(id))
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(
      `No heartbeat with ${expected.join() || 'ok'} came; the last was ${JSON.stringify(seen)}`,
    );
  }

  return { beat, ids, until };
}
