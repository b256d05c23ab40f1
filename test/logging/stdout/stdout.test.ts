import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stdoutLogger } from 'lifesign/logging';

const record = { logger: 'ours', level: 20 as const, time: 0, fields: { n: 1 }, msg: 'hello' };
const { isTTY } = process.stdout;

beforeEach(() => {
  for (const name of ['NODE_ENV', 'NO_COLOR', 'TERM', 'HEALTH_LOG_FORMAT']) vi.stubEnv(name, undefined);
});

afterEach(() => {
  process.stdout.isTTY = isTTY;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What a logger writes of a record. */
function lineOf(...options: Parameters<typeof stdoutLogger>): string {
  const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  stdoutLogger(...options).log(record);
  return String(log.mock.calls[0]?.[0]);
}

const json = { pretty: false, colourful: false };

it.each<[boolean, object, object]>([
  [false, {}, json],
  [false, { HEALTH_LOG_FORMAT: 'json' }, json],
  [false, { HEALTH_LOG_FORMAT: 'Pretty' }, { pretty: true, colourful: false }],
  [true, {}, { pretty: true, colourful: true }],
  [true, { NO_COLOR: '1' }, { pretty: true, colourful: false }],
  [true, { TERM: 'dumb' }, { pretty: true, colourful: false }],
  [true, { NODE_ENV: 'production' }, json],
  [true, { NODE_ENV: 'production', HEALTH_LOG_FORMAT: 'pretty' }, { pretty: true, colourful: true }],
  [true, { HEALTH_LOG_FORMAT: 'json' }, json],
])('on a terminal: %j, with %j: %j', (terminal, variables, look) => {
  process.stdout.isTTY = terminal;
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value as string);
  const line = lineOf();
  expect(line.startsWith('{')).toBe(look === json);
  expect(line.includes('\u001B[')).toBe(look !== json && Reflect.get(look, 'colourful') === true);
});

it('the option wins over the variable, and another format is refused', () => {
  vi.stubEnv('HEALTH_LOG_FORMAT', 'pretty');
  expect(JSON.parse(lineOf({ format: 'json', loggerName: 'acme' }))).toMatchObject({
    Logger: 'acme',
    Type: 'ours',
    Fields: { n: 1, msg: 'hello' },
  });
  expect(() => stdoutLogger({ format: 'xml' as 'json' })).toThrow(
    "Option format of stdoutLogger is \"xml\"; it must be 'json' or 'pretty'",
  );
  vi.stubEnv('HEALTH_LOG_FORMAT', 'xml');
  expect(() => stdoutLogger()).toThrow('HEALTH_LOG_FORMAT is "xml"');
});

it('a record that cannot be made pretty is a line of JSON', () => {
  const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const fields = {
    get broken(): string {
      throw new Error('not for you');
    },
  };
  stdoutLogger({ format: 'pretty' }).log({ ...record, fields: new Proxy(fields, {}) });
  expect(JSON.parse(String(log.mock.calls[0]?.[0]))).toMatchObject({ Type: 'ours' });
});
