// A load of some connections, each of which asks again as soon as it has its answer.
// All answers of a path are equally long, so bytes are counted and only the status is read.
import { connect } from 'node:net';

const connections = 32;
/** Milliseconds after which an answer is given up, and connections that may break in one run. */
const patience = 10_000;
const mostBroken = 100;
const ignore = () => {};

async function open(port) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await new Promise((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', noDelay: true });
        socket.once('connect', () => resolve(socket)).once('error', reject);
      });
    } catch (error) {
      if (attempt === 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50 * attempt));
    }
  }
}

/** The length of an answer as far as it is known: the headers and what they promise, or all chunks. */
function sizeOf(text) {
  const head = text.indexOf('\r\n\r\n') + 4;
  if (head < 4 || !text.startsWith('HTTP/1.1 200')) return undefined;
  const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
  if (length !== undefined) return head + Number(length);
  return text.endsWith('\r\n0\r\n\r\n') ? text.length : undefined;
}

async function measureAnswer(port, request) {
  const socket = await open(port);
  socket.write(request);
  let text = '';
  for await (const chunk of socket) {
    text += chunk.toString('latin1');
    const size = sizeOf(text);
    if (size !== undefined) return size;
  }
  throw new Error(`no whole 200: ${text}`);
}

/** Opens the connections. They stay open between the runs; one that breaks is opened again. */
export async function openLoad(port, path) {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  const size = await measureAnswer(port, request);
  const lines = await Promise.all(Array.from({ length: connections }, () => open(port).then(lineOf)));
  let [requests, wanted, under, broken, closed] = [0, 0, 0, 0, false];
  let [finish, fail] = [ignore, ignore];

  function lineOf(socket) {
    const line = { socket, bytes: 0, waits: false };
    follow(line);
    return line;
  }
  function follow(line) {
    line.socket.on('data', (chunk) => {
      if (line.bytes === 0 && chunk[9] !== 50) return fail(new Error(`${path} did not answer 200`));
      line.bytes += chunk.length;
      if (line.bytes < size) return;
      if (line.bytes > size) return fail(new Error(`${path} gives answers of different lengths`));
      line.bytes = 0;
      line.waits = false;
      requests += 1;
      under -= 1;
      if (requests + under < wanted) ask(line);
      else if (under === 0) finish();
    });
    line.socket.on('error', ignore);
    line.socket.on('close', () => reopen(line));
  }
  function ask(line) {
    under += 1;
    line.waits = true;
    line.socket.write(request);
  }
  async function reopen(line) {
    if (closed) return;
    broken += 1;
    if (broken > mostBroken) return fail(new Error(`${path}: more than ${mostBroken} connections broke`));
    try {
      line.socket = await open(port);
    } catch (error) {
      return fail(error);
    }
    line.bytes = 0;
    follow(line);
    if (line.waits) line.socket.write(request);
  }

  return {
    /** Asks so many times, at least once on each connection, and waits for the answers. Requests and microseconds. */
    async run(many) {
      requests = 0;
      wanted = many;
      const start = performance.now();
      await new Promise((resolve, reject) => {
        let seen = -1;
        const watch = setInterval(() => {
          if (requests === seen) fail(new Error(`${path}: no answer for ${patience / 1000} s`));
          seen = requests;
        }, patience);
        const end = (how) => (value) => {
          clearInterval(watch);
          how(value);
        };
        finish = end(resolve);
        fail = end(reject);
        for (const line of lines) ask(line);
      });
      return { requests, microseconds: (performance.now() - start) * 1000 };
    },
    close() {
      closed = true;
      for (const { socket } of lines) socket.destroy();
    },
  };
}
