import { Agent, get as getHttp, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, get as getHttps } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../http/exchange.js';
import { failureOf } from '../http/exchange.js';
import { demanded, type Rule, rule, should } from './rule.js';

/** The state of an idle connection after the wait. */
export interface Idle {
  /** Milliseconds that a load balancer would keep it. */
  readonly asked: number;
  /** Milliseconds after which the service closed it. */
  readonly closedAfter?: number;
  /** Whether the response said so. */
  readonly closes?: boolean;
  /** The announcement of the service: `timeout=5`. */
  readonly announced?: string | undefined;
  /** Why the request before or after the silence failed. */
  readonly failure?: string;
}

/** A response leaves its connection when it ends. */
type Answered = Pick<IncomingMessage, 'socket' | 'headers'>;

/** Keeps a connection open after a response, sends nothing for `asked` milliseconds, then another request over it. */
export async function holdIdle(
  { base, insecure, timeout }: Omit<Service, 'until'>,
  asked: number,
): Promise<Idle> {
  const secure = base.startsWith('https:');
  const agent = secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  // Without this the agent closes it when the service's `Keep-Alive` header says so, before the service does.
  Reflect.set(agent, 'keepSocketAlive', () => true);
  const options = { agent, timeout, rejectUnauthorized: !insecure, headers: { 'User-Agent': 'lifesign' } };
  const request = () =>
    new Promise<Answered>((resolve, reject) => {
      const over = (response: IncomingMessage) => {
        const { socket, headers } = response;
        response.on('error', reject).on('end', () => resolve({ socket, headers }));
        response.resume();
      };
      const sent = (secure ? getHttps : getHttp)(`${base}/__lbheartbeat__`, options, over);
      sent.on('error', reject).on('timeout', () => sent.destroy(new Error(`no answer within ${timeout} ms`)));
    });
  try {
    const { socket, headers } = await request();
    const { 'keep-alive': announced, connection = '' } = headers;
    if (/close/i.test(connection)) return { asked, closedAfter: 0, closes: true };
    const started = performance.now();
    const stop = new AbortController();
    let closedAfter: number | undefined;
    const closed = () => {
      closedAfter ??= performance.now() - started;
      stop.abort();
    };
    socket.on('end', closed).on('close', closed);
    if (socket.destroyed) closed();
    await pause(asked, undefined, { signal: stop.signal }).catch(() => {});
    if (closedAfter !== undefined)
      return { asked, closedAfter, announced: announced === undefined ? undefined : String(announced) };
    await request();
    return { asked };
  } catch (thrown) {
    return { asked, failure: failureOf(thrown instanceof Error ? thrown : new Error(String(thrown))) };
  } finally {
    agent.destroy();
  }
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Milliseconds between two requests over one connection, as a busy client sends them. */
const soon = 100;

/** Two requests over one connection, one right after the other. */
export const askTwice = (service: Omit<Service, 'until'>): Promise<Idle> => holdIdle(service, soon);

export const reuseRules: readonly Rule<Idle>[] = [
  rule(should('reuse', 'draining.md#keep-alive'), ({ closedAfter, closes, failure }) => {
    if (failure !== undefined) return `a second request over the same connection failed: ${failure}`;
    return closedAfter === undefined || closes === true
      ? undefined
      : `the service closed the connection ${Math.round(closedAfter)} ms after a response that did not say Connection: close`;
  }),
];

/** With `--idle`: the specification has no connections. */
export const idleRules: readonly Rule<Idle>[] = [
  rule(demanded('idle', 'draining.md#keep-alive'), ({ asked, closedAfter, announced, failure }) => {
    if (failure !== undefined)
      return `a request over a connection that was idle for ${inSeconds(asked)} failed: ${failure}`;
    if (closedAfter === undefined) return undefined;
    const said = announced === undefined ? '' : ` (it announced Keep-Alive: ${announced})`;
    return `the service closed an idle connection after ${inSeconds(closedAfter)}${said}, before a load balancer that keeps it for ${inSeconds(asked)}`;
  }),
];
