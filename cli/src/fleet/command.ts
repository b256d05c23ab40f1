import type { ParseArgsConfig } from 'node:util';
import { type Command, duration, type Io, parse, printable, usageInvalid } from '../../../src/tools.js';
import { isHealthy } from './fleet.js';
import { json } from './table.js';
import { live } from './live.js';
import { prometheusAt } from './prometheus.js';
import { questionsFor } from './watch.js';
import { table } from './table.js';
import { Watch } from './watch.js';

const help = `Usage: lifesign-cli fleet --prometheus URL [options]

Shows every instance that Prometheus scrapes: builds, rollouts, failures. Live
in a terminal. Exit code: 0 all healthy, 1 not healthy or unknown, 2 bad usage.

Options
  --prometheus URL     http://USER:PASSWORD@HOST/PREFIX (or $PROMETHEUS_URL)
  --header LINE        send a header, such as Authorization; repeatable
  --by LABEL           the label that names a service           (default job)
  --match LABEL=VALUE  only instances with this label; repeatable
  --window TIME        how long to show instances that are gone (default 1h)
  --once, --json       print the view once, as a table or as JSON
  --all                list every instance, not only 20 of each service
  --every TIME         how often to refresh                     (default 10s)
  --timeout TIME       how long a look may take in all          (default 5s)
  --insecure           accept any certificate over https
  --help               show this help

Examples
  lifesign-cli fleet --prometheus http://localhost:9090 --match env=production
  lifesign-cli fleet --prometheus https://example.org/prometheus --once
`;

/** Instances listed of each service. */
const usualMost = 20;

const options = {
  prometheus: { type: 'string' },
  header: { type: 'string', multiple: true, default: [] },
  by: { type: 'string', default: 'job' },
  match: { type: 'string', multiple: true, default: [] },
  window: { type: 'string', default: '1h' },
  once: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  every: { type: 'string', default: '10s' },
  timeout: { type: 'string', default: '5s' },
  insecure: { type: 'boolean', default: false },
} satisfies ParseArgsConfig['options'];

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse({
    args: [...args],
    // So that a stray word is not taken for an option that lacks its value.
    allowPositionals: true,
    options,
  });
  if (positionals.length > 0) {
    throw usageInvalid('lifesign-cli fleet takes only options; write the address after --prometheus');
  }
  const address = values.prometheus ?? io.env['PROMETHEUS_URL'];
  if (!address) throw usageInvalid('--prometheus URL is missing');
  const time = (option: 'window' | 'every' | 'timeout') => duration(`--${option}`, values[option]);
  const { header: headers, insecure } = values;
  const prometheus = prometheusAt(address, { headers, insecure, timeout: time('timeout'), env: io.env });
  const questions = questionsFor(values.match.map(matcher), time('window'));
  const watch = new Watch(prometheus, questions, labelName('--by', values.by));
  const every = time('every');
  await watch.look();
  const { fleet } = watch;
  if (fleet === undefined) {
    io.stderr.write(`lifesign-cli fleet: ${printable(watch.problem ?? '')}\n`);
    return 1;
  }
  const maxRows = values.all ? Infinity : usualMost;
  if (values.json) {
    io.stdout.write(json(fleet, watch.address));
  } else if (values.once || io.stdout.isTTY !== true || io.env['TERM'] === 'dumb') {
    io.stdout.write(`${table({ fleet, address: watch.address, maxRows }, io).join('\n')}\n`);
  } else {
    await live(watch, io, every, maxRows);
    return 0;
  }
  return isHealthy(fleet) ? 0 : 1;
}

function matcher(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at === -1) throw usageInvalid(`--match takes LABEL=VALUE, not ${JSON.stringify(text)}`);
  return [labelName('--match', text.slice(0, at)), text.slice(at + 1)];
}

/** Characters that go into a query as they are. */
function labelName(option: string, text: string): string {
  if (/^[a-zA-Z_]\w{0,199}$/.test(text)) return text;
  throw usageInvalid(`${option}: ${JSON.stringify(text)} is not a label name`);
}

export const command: Command = { help, run };
