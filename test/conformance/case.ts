import { strict as assert } from 'node:assert';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { LogRecord } from 'lifesign';
import type { RunningHost, Setup } from './host.js';

/** One line of the contract, tried on a running application. Plain assertions: it runs on every runtime. */
export interface Case {
  readonly name: string;
  /** What the application is made with; `directory` is a fresh one for the version file. */
  readonly setup?: (directory: string) => Setup | Promise<Setup>;
  readonly run: (host: RunningHost, directory: string) => Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request with exactly this target: nothing is normalised on the way. */
export function ask(
  host: RunningHost,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const to =
    host.connect === undefined
      ? { host: '127.0.0.1', port: host.port, agent: false }
      : { createConnection: host.connect };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, method, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

export const get = (host: RunningHost, target: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(host, 'GET', target, headers);

/** Status, body and every header that the contract names. */
export function assertJson(reply: Reply, status: number, body: string): void {
  assert.equal(reply.status, status);
  assert.equal(reply.body, body);
  assertHeaders(reply, Buffer.byteLength(body));
}

export function assertHeaders(reply: Reply, length: number): void {
  assert.equal(reply.headers['content-type'], 'application/json');
  assert.equal(reply.headers['vary'], 'Accept-Encoding');
  assert.equal(reply.headers['cache-control'], 'no-store');
  assert.equal(reply.headers['content-length'], String(length));
}

/** That a request went to the application and not to lifesign. */
export function assertApplication(reply: Reply): void {
  assert.equal(reply.status, 404);
  assert.equal(reply.body, '{"application":"not found"}');
}

/** The records of a logger once there are `count` of them: the summary comes after the answer. */
export async function recordsOf(host: RunningHost, logger: string, count: number): Promise<LogRecord[]> {
  const found = () => host.records.filter((record) => record.logger === logger);
  for (let turn = 0; turn < 5000 && found().length < count; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.equal(found().length, count, `records of ${logger}`);
  return found();
}
