// The parsers in deploy/logs, applied by hand to lines of a service: Datadog, Alloy and CloudWatch themselves are not available to tests.
import { readFile } from 'node:fs/promises';
import { checks, Health } from 'lifesign/fetch';
import { JsonLogFormatter } from 'lifesign/logging';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { collect } from '../http/serving.js';

const read = (name: string) => readFile(new URL(`../../deploy/logs/${name}`, import.meta.url), 'utf8');

/** The lines of a request that throws and of a check that fails. */
async function linesOf(): Promise<string[]> {
  const { logger, records } = collect();
  const health = new Health(undefined, { logger });
  health.check('storage', () => [new checks.Error('No space left', { id: 'shop.E001' })]);
  const answer = health.wrap(async () => {
    throw new Error('the card was declined');
  });
  await Promise.resolve(answer(new Request('http://shop/orders/7'))).catch(() => {});
  await answer(new Request('http://shop/__heartbeat__'));
  const formatter = new JsonLogFormatter({ loggerName: 'shop' });
  return records.map((record) => formatter.format(record));
}

/** The value of a path such as `Fields.rid`: those of Datadog, JMESPath and CloudWatch agree on names with dots between them. */
const at = (line: string, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Reflect.get(Object(value), name), JSON.parse(line));

test('Datadog: the time in milliseconds, the status, the service and the message', async () => {
  const [line = ''] = await linesOf();
  const { processors } = JSON.parse(await read('datadog.json')) as {
    processors: { type: string; sources?: string[]; expression?: string; target?: string }[];
  };
  const log = JSON.parse(line);
  const found: Record<string, unknown> = {};
  for (const { type, sources = [], expression = '', target = '' } of processors) {
    const [attribute = '', divisor] = expression.split(' / ');
    if (type === 'arithmetic-processor') log[target] = Number(log[attribute]) / Number(divisor);
    found[type] = sources.map((path) => at(JSON.stringify(log), path)).find((value) => value !== undefined);
  }
  expect(found['message-remapper']).toBe('the card was declined');
  expect(found['status-remapper']).toBe(3);
  expect(found['service-remapper']).toBe('shop');
  expect(Math.abs(Number(found['date-remapper']) - Date.now())).toBeLessThan(60_000);
});

test('Alloy: each expression has its value, and each label was extracted', async () => {
  const text = await read('config.alloy');
  const [line = ''] = await linesOf();
  const [, block = ''] = /expressions = \{([^}]*)\}/.exec(text) ?? [];
  const expressions = Array.from(block.matchAll(/(\w+)\s*= "([\w.]+)"/g), ([, name = '', path = '']) => ({
    name,
    path,
  }));
  expect(expressions.length).toBeGreaterThan(4);
  const without = expressions.filter(({ path }) => at(line, path) === undefined);
  // Only a process with OpenTelemetry has a trace.
  expect(without.map(({ path }) => path)).toEqual(['Fields.trace_id']);
  const names = new Set(expressions.map(({ name }) => name));
  const used = [...text.matchAll(/values = \{([^}]*)\}/g)].flatMap(([, values = '']) =>
    Array.from(values.matchAll(/(\w+) = ""/g), ([, name = '']) => name),
  );
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
  expect(text).toContain('format = "UnixNs"');
  expect(String(at(line, 'Timestamp'))).toMatch(/^\d{19}$/);
});

/** Whether a line matches `{ $.Type = "request.summary" && $.Fields.code >= 500 }`. */
function matches(line: string, pattern: string): boolean {
  return pattern
    .slice(1, -1)
    .split('&&')
    .every((term) => {
      const [, path = '', operator, value = ''] = /^\$\.([\w.]+) (=|>=|<=) (.+)$/.exec(term.trim()) ?? [];
      const found = at(line, path);
      if (operator === '=') return found === JSON.parse(value);
      return operator === '>=' ? Number(found) >= Number(value) : Number(found) <= Number(value);
    });
}

test('CloudWatch: each filter matches its line', async () => {
  const lines = await linesOf();
  const { Resources } = parse(await read('cloudwatch.yaml'), { logLevel: 'error' });
  const matched = (name: string) =>
    lines
      .filter((line) => matches(line, Resources[name].Properties.FilterPattern))
      .map((line) => JSON.parse(line).Type);
  expect(matched('FailedRequests')).toEqual(['request.summary', 'request.summary']);
  expect(matched('FailingChecks')).toEqual(['health.checks']);
});
