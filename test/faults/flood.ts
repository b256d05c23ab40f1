import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends `total` requests over `connections` sockets, `depth` of them at once on each (pipelined), which one core
 * can do far faster than a server can answer. Counts the answers by status.
 */
export async function flood(
  port: number,
  path: string,
  { total, connections = 50, depth = 20 }: { total: number; connections?: number; depth?: number },
): Promise<{ answers: Record<string, number>; perSecond: number }> {
  const answers: Record<string, number> = {};
  const line = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const started = performance.now();
  const each = Math.floor(total / connections);
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      let sent = 0;
      let answered = 0;
      let tail = '';
      const done = new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.once('close', () => (answered === each ? resolve() : reject(new Error('closed early'))));
        socket.on('data', (chunk: Buffer) => {
          // A status line may be cut in two; it is counted when it is whole.
          const text = tail + chunk.toString('latin1');
          let end = 0;
          for (const match of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
            answers[match[1] ?? ''] = (answers[match[1] ?? ''] ?? 0) + 1;
            answered += 1;
            end = match.index + match[0].length;
            if (sent < each) {
              sent += 1;
              socket.write(line);
            }
          }
          tail = text.slice(Math.max(end, text.length - 12));
          if (answered === each) socket.end();
        });
      });
      sent = Math.min(depth, each);
      socket.write(line.repeat(sent));
      await done;
    }),
  );
  return { answers, perSecond: Math.round((each * connections * 1000) / (performance.now() - started)) };
}
