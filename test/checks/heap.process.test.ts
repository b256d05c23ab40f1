import { fork } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../core/waiting.js';
import { compiled } from '../compiled/index.js';

test('a heap that is full is a failure of the instance, with what V8 does, before the process ends of it', async () => {
  const child = fork(compiled(new URL('heap-app.ts', import.meta.url)), {
    execArgv: ['--max-old-space-size=100', '--expose-gc'],
    // V8 prints its own last words.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  child.on('message', (message) => said.push(JSON.stringify(message)));
  let ended: NodeJS.Signals | null | undefined;
  child.on('exit', (_code, signal) => (ended = signal));
  const all = () => said.join('\n');
  await until(() => /"live":"fail"/.test(all()) || ended !== undefined);
  child.send('end');
  await until(() => ended !== undefined);
  expect(all()).toMatch(
    /health\.E043.*The heap is full: \d+ % of 100 MiB are in use after garbage collection, which took \d+ % of the last 600 ms/,
  );
  expect(all()).toContain('{"name":"heap","scope":"instance","evidence":"the heap is of this process only"}');
  expect(all()).toContain('"ready":"fail"');
  expect(ended).toBe('SIGABRT');
});
