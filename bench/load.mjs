// A load of so many answers, where a second of wrk would be too long: node bench/load.mjs PORT PATH ANSWERS
// All answers of one path are equally long, so bytes are counted and nothing is parsed.
import { connect } from 'node:net';

const [port, path, answers] = process.argv.slice(2);
const connections = 32;
const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

const open = () => {
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
};

/** The length of one answer: the headers and what they promise. */
async function measureAnswer() {
  const socket = await open();
  socket.write(request);
  const [chunk] = await new Promise((resolve) => socket.once('data', (...args) => resolve(args)));
  const text = chunk.toString('latin1');
  socket.destroy();
  const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
  if (!text.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`no plain 200: ${text}`);
  return text.indexOf('\r\n\r\n') + 4 + Number(length);
}

const size = await measureAnswer();
const sockets = await Promise.all(Array.from({ length: connections }, open));
let done = 0;
const start = process.hrtime.bigint();
await new Promise((resolve) => {
  for (const socket of sockets) {
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes < size) return;
      bytes -= size;
      done += 1;
      if (done < Number(answers)) socket.write(request);
      else resolve();
    });
    socket.write(request);
  }
});
const microseconds = Number(process.hrtime.bigint() - start) / 1000;
for (const socket of sockets) socket.destroy();
console.log(`COUNT ${done} ${Math.round(microseconds)} 0`);
