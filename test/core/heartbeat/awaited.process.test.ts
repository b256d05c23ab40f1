import { fork } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { compiled } from '../../compiled/index.js';

test('a script that awaits a heartbeat gets it, also of a check that hangs, and ends by itself after it', async () => {
  // A channel keeps a process alive only if it listens to messages.
  const child = fork(compiled(new URL('awaited-app.ts', import.meta.url)));
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: unknown[] = [];
  child.on('message', (message) => said.push(message));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, said }).toEqual({ code: 0, said: [['health.E012']] });
});
