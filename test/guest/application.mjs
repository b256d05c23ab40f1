// An application as the table describes it, with lifesign or without. It notes what it does on descriptor 3, and says it on standard output.
import { execSync } from 'node:child_process';
import { pbkdf2Sync } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createServer, get } from 'node:http';

const { signal, state, handler, stdout, lifesign } = JSON.parse(process.argv[2]);
const note = (text) => writeSync(3, `${text}\n`);
const say = (text) => {
  note(text);
  // Output that nothing takes would keep the process alive, without lifesign too.
  if (stdout !== 'stuck') console.log(`app: ${text}`);
};

const server = createServer((request, response) => {
  if (request.url === '/hang') {
    response.write('a');
    setImmediate(() => note(`ready ${process.pid}`));
  } else response.end('ok');
});

if (lifesign === 'default' || lifesign === 'all features') {
  const { Health } = await import(process.env.LIFESIGN);
  const features = {
    page: true,
    probes: true,
    metrics: true,
    watchdog: { port: 0, busyAfter: 100 },
    healthPort: 0,
    otel: true,
  };
  const health = new Health(server, lifesign === 'default' ? {} : features);
  health.check('storage', async () => []);
}

/** A process that nothing ends within its block has not been ended by the signal. */
const blocks = {
  'blocked in JavaScript': (ms) => {
    for (const end = performance.now() + ms; performance.now() < end;);
  },
  'blocked in crypto': (ms) => {
    // In steps, so that it takes about as long on every machine.
    for (const end = performance.now() + ms; performance.now() < end;)
      pbkdf2Sync('a', 'b', 100_000, 64, 'sha512');
  },
  'blocked in Atomics.wait': (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  'blocked by a child': (ms) => execSync(`sleep ${ms / 1000}`),
};

const exit = (code) => () => {
  say(`handled, ${code}`);
  process.exit(code);
};
const raise = () => process.kill(process.pid, signal);
const handlers = {
  none: () => {},
  'exit code': () => process.on(signal, exit(7)),
  'raise at once': () =>
    process.once(signal, () => {
      say('handled, raising');
      raise();
    }),
  'raise later': () => {
    const onSignal = async () => {
      say('handled, closing');
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await new Promise((resolve) => setTimeout(resolve, 20));
      process.removeListener(signal, onSignal);
      raise();
      setTimeout(() => process.exit(90), 5000);
    };
    process.on(signal, onSignal);
  },
  'raise if last': () => {
    const onSignal = () => {
      process.removeListener(signal, onSignal);
      say(`handled, ${process.listenerCount(signal)} left`);
      if (process.listenerCount(signal) === 0) raise();
    };
    process.on(signal, onSignal);
  },
  'natural end': () =>
    process.once(signal, () => {
      say('handled, closing');
      process.exitCode = 5;
      server.close();
      server.closeAllConnections();
    }),
  prepended: () => {
    process.on(signal, exit(9));
    process.prependListener(signal, exit(8));
  },
  emitted: () => process.on(signal, () => setTimeout(exit(6), 20)),
};
handlers[handler]();
process.on('exit', (code) => note(`exit ${code}`));

function enter(port) {
  say('started');
  if (handler === 'emitted') setTimeout(() => process.emit(signal), 100);
  if (state === 'in a request') {
    get({ port, host: '127.0.0.1', path: '/hang', agent: false }, (response) => {
      response.on('error', () => {}).resume();
    }).on('error', () => {});
    return;
  }
  note(`ready ${process.pid}`);
  if (state === 'idle') return;
  // Without a handler the signal ends the block.
  blocks[state](handler === 'none' ? 8000 : 300);
  note('free');
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  get({ port, host: '127.0.0.1', agent: false }, (response) => {
    // The summary is written by then.
    response.resume().on('end', () => setTimeout(enter, 30, port));
  });
});
setTimeout(() => process.exit(91), 25_000).unref();
