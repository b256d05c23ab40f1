import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Labels = Readonly<Record<string, string>>;
export type Question = 'targets' | 'builds' | 'states' | 'checks' | 'messages';
/** Labels and a value. */
export type Point = readonly [Labels, number];
export type Points = Readonly<Record<Question, readonly Point[]>>;

/** When the fake looks: 2026-11-15 12:00:00 UTC. */
export const noon = Date.UTC(2026, 10, 15, 12) / 1000;

/** An instance as a test describes it; times are seconds before `noon`. */
export interface Described {
  readonly job: string;
  readonly instance: string;
  readonly up?: boolean;
  /** Not scraped any more, last seen so long ago. */
  readonly gone?: number;
  readonly version?: string;
  readonly commit?: string;
  readonly started?: number;
  readonly draining?: boolean;
  readonly beating?: boolean;
  /** Level and message id, by the name of the check. */
  readonly checks?: Readonly<Record<string, readonly [number, string]>>;
  readonly labels?: Labels;
}

/** What Prometheus says of them. */
export function pointsOf(instances: readonly Described[]): Points {
  const points: Record<Question, Point[]> = {
    targets: [],
    builds: [],
    states: [],
    checks: [],
    messages: [],
  };
  for (const described of instances) {
    const { job, instance, up = true, gone, labels = {}, started, checks = {}, beating = true } = described;
    const target = { ...labels, job, instance };
    if (gone === undefined) points.targets.push([{ __name__: 'up', ...target }, Number(up)]);
    const { version = '', commit = '' } = described;
    const past = gone ?? (up ? undefined : 60);
    points.builds.push([
      { ...target, version, commit, build: '', source: '' },
      past === undefined ? noon - 2 : past - noon,
    ]);
    const state = (name: string, value: number) =>
      points.states.push([{ __name__: `lifesign_${name}`, ...target }, value]);
    if (started !== undefined) state('start_time_seconds', noon - started);
    if (past !== undefined) continue;
    const worst = Math.max(0, ...Object.values(checks).map(([level]) => level));
    state('draining', Number(described.draining ?? false));
    if (!beating) continue;
    state('heartbeat_level', worst);
    state('heartbeat_failed', Number(worst >= 30));
    for (const [check, [level, id]] of Object.entries(checks)) {
      points.checks.push([{ ...target, check }, level]);
      points.messages.push([{ ...target, check, id }, level]);
    }
  }
  return points;
}

/** Which question a query asks. */
function questionOf(promql: string): Question {
  if (promql.startsWith('up')) return 'targets';
  if (promql.startsWith('timestamp(')) return 'builds';
  if (promql.startsWith('{')) return 'states';
  return promql.includes('check_message') ? 'messages' : 'checks';
}

function answerOf(points: readonly Point[]): string {
  const result = points.map(([metric, value]) => ({ metric, value: [noon, String(value)] }));
  return JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
}

export type Handler = (req: IncomingMessage, res: ServerResponse, question: Question) => void;

export const answering =
  (points: Points): Handler =>
  (_req, res, question) =>
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(answerOf(points[question]));

/** A Prometheus of the test: `handler` may be changed while it runs. It ends with the test. */
export async function fakePrometheus(first: Handler) {
  const fake = {
    handler: first,
    queries: new Array<string>(),
    url: '',
    requests: new Array<IncomingMessage>(),
  };
  const server = createServer((req, res) => {
    const promql = new URL(req.url ?? '', 'http://localhost').searchParams.get('query') ?? '';
    fake.queries.push(promql);
    fake.requests.push(req);
    fake.handler(req, res, questionOf(promql));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return fake;
}
