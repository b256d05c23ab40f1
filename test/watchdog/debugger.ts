import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** Attaches a debugger to a process, by what it says on standard error. */
export async function attachTo(stderr: string) {
  const [, url = ''] = /Debugger listening on (ws:\S+)/.exec(stderr) ?? [];
  const socket = new WebSocket(url);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  const answers = new Map<number, () => void>();
  let isPaused = false;
  let ids = 0;
  socket.on('message', (data: Buffer) => {
    const { id, method }: { id?: number; method?: string } = JSON.parse(data.toString());
    if (method === 'Debugger.paused') isPaused = true;
    if (method === 'Debugger.resumed') isPaused = false;
    if (id !== undefined) answers.get(id)?.();
  });
  return {
    paused: () => isPaused,
    post: (method: string) =>
      new Promise<void>((resolve) => {
        ids += 1;
        answers.set(ids, resolve);
        socket.send(JSON.stringify({ id: ids, method }));
      }),
  };
}
