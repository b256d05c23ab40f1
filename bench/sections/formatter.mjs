// One request.summary record to a line: CPU time per line, interleaved.
import { Writable } from 'node:stream';
import { JsonLogFormatter } from 'lifesign/logging';
import { pino } from 'pino';
import winston from 'winston';
import { median } from '../measure.mjs';
import { table, two } from '../report.ts';
import { judge, shownBudget } from '../verdict.ts';

const fields = {
  errno: 0,
  agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  lang: 'en-GB,en;q=0.7,de;q=0.3',
  method: 'GET',
  path: '/orders/2223',
  code: 200,
  uid: '',
  rid: '951b0133-d43e-4098-9713-1017eaf823e1',
  t: 8,
};
let bytes = 0;
const swallow = { write: (line) => (bytes += Buffer.byteLength(line)) };
const formatter = new JsonLogFormatter({ loggerName: 'acme' });
const record = { logger: 'request.summary', level: 20, time: Date.now(), fields };
const pinoLogger = pino({ base: { pid: process.pid, hostname: 'host' } }, swallow);
const format = winston.format.json();
const winstonStream = new Writable({
  write(chunk, _encoding, done) {
    bytes += chunk.length;
    done();
  },
});
const winstonLogger = winston.createLogger({
  format,
  transports: [new winston.transports.Stream({ stream: winstonStream })],
});

const contenders = {
  'lifesign JsonLogFormatter': () => swallow.write(formatter.format(record)),
  pino: () => pinoLogger.info(fields),
  'JSON.stringify of the whole envelope': () =>
    swallow.write(
      JSON.stringify({
        Timestamp: Date.now(),
        Type: 'request.summary',
        Logger: 'acme',
        Hostname: 'host',
        EnvVersion: '2.0',
        Severity: 6,
        Pid: process.pid,
        Fields: fields,
      }),
    ),
  winston: () => winstonLogger.info('', fields),
};

/** Nanoseconds of CPU per line, and what part of pino's that is. */
function compareFormatters({ rounds, lines }) {
  const names = Object.keys(contenders);
  const samples = names.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, name] of names.entries()) {
      const write = contenders[name];
      const before = process.cpuUsage();
      for (let line = 0; line < lines; line += 1) write();
      const { user, system } = process.cpuUsage(before);
      // The first round warms up.
      if (round >= 0) samples[index].push(((user + system) * 1000) / lines);
    }
  }
  const pinoIndex = names.indexOf('pino');
  return names.map((label, index) => ({
    label,
    nanoseconds: median(samples[index]),
    part: median(samples[index].map((own, round) => own / samples[pinoIndex][round])),
  }));
}

export function formatterSection(effort) {
  const budget = 1 / 1.5;
  const rows = compareFormatters(effort);
  const [{ part }] = rows;
  const body = rows.map(({ label, nanoseconds, part }, index) => [
    label,
    Math.round(nanoseconds),
    two(1 / part),
    index === 0 ? shownBudget('≥ 1.5', part, budget) : '',
  ]);
  const finding = {
    value: part,
    budget,
    says: `formatter: ${two(1 / part)} times as fast as pino, budget 1.5`,
  };
  return {
    name: 'formatter',
    text: `### one record to a line

${table(['', 'CPU ns', 'times as fast as pino', 'budget'], body)}`,
    ...judge([finding]),
  };
}
