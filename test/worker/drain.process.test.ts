import { fork } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../core/waiting.js';
import { parseLine } from '../logging/schemas.js';
import { compiled } from '../compiled/index.js';

/** Starts the consumer; what it has said and how it ended. */
function startConsumer() {
  const child = fork(compiled(new URL('queue-app.ts', import.meta.url)), {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const done: number[] = [];
  let port: number | undefined;
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.on('message', (message: { done?: number; port?: number }) => {
    if (message.done !== undefined) done.push(message.done);
    port ??= message.port;
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const lines = () => output.trimEnd().split('\n').map(parseLine);
  return { child, done, port: () => port, lines, closed };
}

// Whenever the signal comes: before the first job, among them, after the last.
test.each([0, 5, 60])(
  'jobs under way at SIGTERM, after %i of them, end or go back: none is lost, none is told twice',
  async (after) => {
    const { child, done, port, lines, closed } = startConsumer();
    await until(() => port() !== undefined);
    const handed = Array.from({ length: after }, (_, id) => id);
    for (const id of handed) child.send(id);
    // At least one has begun.
    if (after > 0) await until(() => done.length > 0);
    child.kill('SIGTERM');
    const code = await closed;
    const summaries = lines().filter(({ Type }) => Type === 'job.summary');
    const ended = summaries
      .filter(({ Fields }) => Fields['errno'] === 0)
      .map(({ Fields }) => Number(Fields['id']));
    const cut = summaries
      .filter(({ Fields }) => Fields['cut'] === true)
      .map(({ Fields }) => Number(Fields['id']));
    const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);
    // What is done is what the log says is done; each id has one line; what was taken and is not done was cut, and is the queue's again.
    expect(sorted(done)).toEqual(sorted(ended));
    expect(new Set([...ended, ...cut]).size).toBe(summaries.length);
    expect(cut.every((id) => id % 7 === 6)).toBe(true);
    expect(
      handed.filter(
        (id) =>
          id % 7 !== 6 && !ended.includes(id) && summaries.some(({ Fields }) => Fields['id'] === String(id)),
      ),
    ).toEqual([]);
    expect(code).toBe(cut.length > 0 ? 1 : 0);
    const said = lines()
      .filter(({ Type }) => Type === 'health')
      .map(({ Fields }) => Fields['msg']);
    expect(said.at(-1)).toBe(`Drained: the process ends with ${code}`);
  },
);
