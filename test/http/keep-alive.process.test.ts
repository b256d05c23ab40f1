import { fork } from 'node:child_process';
import { expect, test } from 'vitest';
import { compiled } from '../compiled/index.js';

const file = compiled(new URL('keep-alive-app.ts', import.meta.url));

/** What servers with these timeouts log in their first seconds. */
async function logged(timeouts: string, env: object): Promise<unknown[]> {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|TEST|NODE_ENV|HEALTH_)/.test(name),
  );
  const child = fork(file, [timeouts], {
    env: { ...Object.fromEntries(others), ...env },
  });
  const messages: unknown[] = [];
  let waited = 0;
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message) => {
      if (message !== 'waited') messages.push(message);
      else if ((waited += 1) === timeouts.split(',').length) resolve();
    });
    child.on('exit', () => reject(new Error('it ended')));
  });
  child.removeAllListeners('exit').disconnect();
  return messages;
}

test.concurrent.each([
  ['production logs one line for all servers', '5000,4000', { NODE_ENV: 'production' }, 1],
  ['a server that keeps them for longer has none', '65000,0', { NODE_ENV: 'production' }, 0],
  ['with the option there is none', '5000', { NODE_ENV: 'production', HEALTH_KEEP_ALIVE: '61s' }, 0],
  ['outside of production there is none', '5000', {}, 0],
] as const)('%s', async (_name, timeouts, env, lines) => {
  const messages = await logged(timeouts, env);
  expect(messages).toHaveLength(lines);
  if (lines > 0)
    expect(messages).toEqual([
      {
        level: 20,
        msg: expect.stringMatching(
          /^The server closes an idle connection after 5 s, .*HEALTH_KEEP_ALIVE=65s/,
        ),
      },
    ]);
});
