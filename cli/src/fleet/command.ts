import { duration, type Command, type Io, parse, printable, usageInvalid } from '../../../src/tools.js';
import { isHealthy, questionsFor, readFleet } from './fleet.js';
import { NoAnswer, prometheusAt } from './prometheus.js';
import { json, table } from './table.js';

const help = `Usage: lifesign-cli fleet --prometheus URL [options]

Shows every instance that Prometheus scrapes: builds, rollouts, failures.
Exit code: 0 some are ok and none is down or failing, 1 otherwise or not known,
2 bad usage.

Options
  --prometheus URL     http://USER:PASSWORD@HOST/PREFIX (or $PROMETHEUS_URL)
  --header LINE        send a header, such as Authorization; repeatable
  --by LABEL           the label that names a service           (default job)
  --match LABEL=VALUE  only instances with this label; repeatable
  --window TIME        how long to show instances that are gone (default 1h)
  --json               print the view as JSON
  --all                list every instance, not only 20 of each service
  --timeout TIME       how long all queries may take together   (default 5s)
  --insecure           accept any certificate over https
  --help               show this help

Examples
  lifesign-cli fleet --prometheus http://localhost:9090 --match env=production
  watch lifesign-cli fleet --prometheus https://example.org/prometheus
`;

/** Instances listed of each service. */
const usualMost = 20;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse({
    args: [...args],
    // So that a stray word is not taken for an option that lacks its value.
    allowPositionals: true,
    options: {
      prometheus: { type: 'string' },
      header: { type: 'string', multiple: true, default: [] },
      by: { type: 'string', default: 'job' },
      match: { type: 'string', multiple: true, default: [] },
      window: { type: 'string', default: '1h' },
      json: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      timeout: { type: 'string', default: '5s' },
      insecure: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 0)
    throw usageInvalid('lifesign-cli fleet takes only options; write the address after --prometheus');
  const address = values.prometheus ?? io.env['PROMETHEUS_URL'];
  if (!address) throw usageInvalid('--prometheus URL is missing');
  const { header: headers, insecure } = values;
  const questions = questionsFor(values.match.map(matcher), duration('--window', values.window));
  const by = labelName('--by', values.by);
  const timeout = duration('--timeout', values.timeout);
  const prometheus = prometheusAt(address, { headers, insecure, timeout, env: io.env });
  try {
    const answers = await Promise.all(
      Object.entries(questions).map(async ([name, promql]) => [name, await prometheus.query(promql)]),
    );
    const fleet = readFleet(Object.fromEntries(answers), by);
    const maxRows = values.all ? Infinity : usualMost;
    io.stdout.write(
      values.json
        ? json(fleet, prometheus.shown)
        : `${table(fleet, prometheus.shown, maxRows, io).join('\n')}\n`,
    );
    return isHealthy(fleet) ? 0 : 1;
  } catch (thrown) {
    if (!(thrown instanceof NoAnswer)) throw thrown;
    io.stderr.write(`lifesign-cli fleet: ${printable(thrown.message)}\n`);
    return 1;
  }
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
