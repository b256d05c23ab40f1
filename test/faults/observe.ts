import type { AddressInfo } from 'node:net';
import express from 'express';
import type { LogRecord } from 'lifesign';
import { Health, type HealthOptions } from 'lifesign/express';
import { until } from '../core/waiting.js';

/** What one heartbeat said and how long it took. */
export interface Observation {
  readonly status: number;
  /** The ids of all messages, in order. */
  readonly ids: readonly string[];
  readonly body: string;
  readonly ms: number;
}

/** An Express application with lifesign on a free loopback port. */
export async function startExpress(options: HealthOptions) {
  const records: LogRecord[] = [];
  const app = express();
  const health = new Health(app, {
    summary: false,
    logger: { log: (record) => void records.push(record) },
    ...options,
  });
  app.get('/', (_req, res) => void res.json({ hello: 'world' }));
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const beat = () => observe(`${origin}/__heartbeat__`);
  return {
    origin,
    health,
    records,
    beat,
    /** On a busy machine the first connection of a pool takes longer than the timeout of a check. */
    passes: () => until(async () => (await beat()).status === 200),
    /** The first heartbeat that says so. */
    async says(text: string): Promise<Observation> {
      let said = await beat();
      await until(async () => {
        said = await beat();
        return said.body.includes(text);
      });
      return said;
    },
    /** Whether the application and the load balancer's endpoint answer while a dependency does not. */
    isUp: async () => {
      const answers = await Promise.all([fetch(`${origin}/__lbheartbeat__`), fetch(`${origin}/`)]);
      return answers.every(({ status }) => status === 200);
    },
    async close() {
      health.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function observe(url: string): Promise<Observation> {
  const started = performance.now();
  const response = await fetch(url);
  const body = await response.text();
  const { details = {} } = JSON.parse(body) as { details?: Record<string, { messages: object }> };
  return {
    status: response.status,
    ids: Object.values(details).flatMap(({ messages }) => Object.keys(messages)),
    body,
    ms: Math.round(performance.now() - started),
  };
}

/** Prints what a fault did, one line each: the numbers in contributing/faults.md are read from here. */
export function tell(fault: string, said: Observation, more = ''): void {
  console.log(
    `[fault] ${fault}: ${said.status} ${said.ids.join(' ')} in ${said.ms} ms${more && `; ${more}`}`,
  );
}
