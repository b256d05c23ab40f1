// One subject in its own process: node bench/server.mjs node/bare, or node/lifesign/default/3 with the options and the number of checks.
import process from 'node:process';
import { spinFor } from './busy.mjs';
import { options } from './servers/options.mjs';

const [framework, name, variant, checks = '3'] = process.argv[2].split('/');
const subjects = await import(`./servers/${framework}.mjs`);
const server = await subjects[name](options[variant], Number(checks));
if (!server.listening) await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
// Connections wait between two rounds while the other servers have their turn.
server.keepAliveTimeout = 0;
if (name === 'lifesign' && process.env.BENCH_BUSY) spinFor(server, Number(process.env.BENCH_BUSY));

const answers = {
  cpu: () => process.cpuUsage(),
  memory: () => {
    globalThis.gc?.();
    return process.memoryUsage();
  },
  ...server.answers,
};
process.on('message', (question) => process.send(answers[question]()));
process.on('disconnect', () => process.exit());
process.send({ port: server.address().port, pid: process.pid });
