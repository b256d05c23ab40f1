// A load for a fraction of a second, in this process: wrk counts in seconds and takes a moment to start.
// All answers of one path are equally long, so bytes are counted and nothing is parsed.
import { connect } from 'node:net';

const open = (port) => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
};

/** The length of one answer: the headers and what they promise. */
async function measureAnswer(port, request) {
  const socket = await open(port);
  socket.write(request);
  const [chunk] = await new Promise((resolve) => socket.once('data', (...args) => resolve(args)));
  const text = chunk.toString('latin1');
  socket.destroy();
  const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
  if (!text.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`no plain 200: ${text}`);
  return text.indexOf('\r\n\r\n') + 4 + Number(length);
}

/** Opens the connections; the function it gives asks over them for so long and closes them. */
export async function prepareLoad(port, path, { milliseconds }, connections) {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  const size = await measureAnswer(port, request);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  return async () => {
    let requests = 0;
    const start = performance.now();
    await new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
      for (const socket of sockets) {
        let bytes = 0;
        socket.on('data', (chunk) => {
          bytes += chunk.length;
          if (bytes < size) return;
          bytes -= size;
          requests += 1;
          socket.write(request);
        });
        socket.write(request);
      }
    });
    const microseconds = (performance.now() - start) * 1000;
    for (const socket of sockets) socket.destroy();
    return { requests, microseconds };
  };
}
