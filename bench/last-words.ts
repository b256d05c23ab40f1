// node --import tsx bench/last-words.ts: what last words cost while nothing happens, and at the moment of a failure. Prints a table for docs/watchdog.md.
import { channel } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LastWords } from '../src/watchdog/last-words.js';
import { requestsIn, SharedRequests } from '../src/probes/requests.js';

const times = 2000;
const many = 1_000_000;
const folder = mkdtempSync(join(tmpdir(), 'lifesign-last-words-'));
const file = join(folder, 'termination-log');
writeFileSync(file, '');

/** The median of many: the first one in a process also loads the code that removes secrets. */
function once(act: (turn: number) => void): string {
  const all = Array.from({ length: times }, (_each, turn) => {
    const start = process.hrtime.bigint();
    act(turn);
    return Number(process.hrtime.bigint() - start) / 1000;
  });
  return `${Math.round(all.toSorted((one, other) => one - other)[times / 2] ?? 0)} µs`;
}

/** CPU time of what happens all the time. */
function often(act: () => void): number {
  for (let turn = 0; turn < many / 10; turn += 1) act();
  const before = process.cpuUsage();
  for (let turn = 0; turn < many; turn += 1) act();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / many;
}

const words = new LastWords(file, true, () => {});
const uncaught = process.listeners('uncaughtExceptionMonitor').at(-1);
const started = channel('http.server.request.start');
const finished = channel('http.server.response.finish');
const request = () => {
  const response = {};
  started.publish({ request: { method: 'GET', url: '/orders/7?page=1' }, response });
  finished.publish({ response });
};
for (const each of [started, finished]) each.subscribe(() => {});
const rows = [
  ['an uncaught exception', once(() => uncaught?.(new Error('no such order'), 'uncaughtException'))],
  [
    '`/livez` begins to fail, or passes again',
    once((turn) =>
      words.wedge(turn % 2 === 0 ? 'check_database_connected: a fresh connection works' : undefined),
    ),
  ],
  ['a look at the verdict that has not changed', `${often(() => words.wedge(undefined)).toFixed(0)} ns`],
];
words.release();
const bare = often(request);
const requests = new SharedRequests();
rows.push(
  ['keeping the list of requests, per request', `${(often(request) - bare).toFixed(0)} ns`],
  ['looking through it, ten times a second', `${often(() => requests.sweep()).toFixed(0)} ns`],
  ['reading it for a line', once(() => requestsIn(requests.memory, (text) => text))],
);
requests.release();
rmSync(folder, { recursive: true });
console.log(['| what | cost |', '| --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'));
