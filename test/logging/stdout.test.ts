import { afterEach, describe, expect, it, vi } from 'vitest';
import { stdoutLogger } from 'lifesign/logging';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const record = (n: number) => ({ logger: 'ours', level: 20 as const, time: 0, fields: { n } });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const numbers = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { Fields: { n?: number; dropped?: number } }).Fields)
    .map(({ n, dropped }) => n ?? `${dropped} dropped`);

describe('which format', () => {
  /** The line of a logger, on a terminal or not. */
  async function lineOf(tty: boolean, variables: Record<string, string>, options = {}, fields = {}) {
    for (const name of ['HEALTH_LOG_FORMAT', 'NODE_ENV', 'NO_COLOR', 'TERM'])
      vi.stubEnv(name, variables[name]);
    let lines = '';
    vi.spyOn(process, 'stdout', 'get').mockReturnValue({
      ...process.stdout,
      isTTY: tty,
      write: (text: string) => (lines += text) !== '',
    } as never);
    stdoutLogger(options).log({ ...record(1), fields });
    await turn();
    vi.restoreAllMocks();
    return lines;
  }

  it.each<[string, boolean, Record<string, string>, object]>([
    ['colours', true, {}, {}],
    ['colours', true, { NODE_ENV: 'development' }, {}],
    ['json', true, { NODE_ENV: 'production' }, {}],
    ['json', false, {}, {}],
    ['json', false, { NODE_ENV: 'development' }, {}],
    ['json', true, { HEALTH_LOG_FORMAT: 'json' }, {}],
    ['colours', true, { HEALTH_LOG_FORMAT: 'PRETTY', NODE_ENV: 'production' }, {}],
    ['plain', false, { HEALTH_LOG_FORMAT: 'pretty' }, {}],
    ['plain', true, { NO_COLOR: '1' }, {}],
    ['plain', true, { TERM: 'dumb' }, {}],
    ['colours', true, { NO_COLOR: '' }, {}],
    ['json', true, { HEALTH_LOG_FORMAT: 'pretty' }, { format: 'json' }],
    ['plain', false, { HEALTH_LOG_FORMAT: 'json' }, { format: 'pretty' }],
  ])('%s: terminal %s, %j, %j', async (expected, tty, variables, options) => {
    const line = await lineOf(tty, variables, options);
    const seen = line.startsWith('{"Timestamp"')
      ? 'json'
      : line.startsWith('\u001B[2m')
        ? 'colours'
        : 'plain';
    expect(seen).toBe(expected);
    expect(line.endsWith('\n')).toBe(true);
  });

  it('another one is refused', () => {
    vi.stubEnv('HEALTH_LOG_FORMAT', 'xml');
    expect(() => stdoutLogger()).toThrow("HEALTH_LOG_FORMAT is \"xml\"; it must be 'json' or 'pretty'");
    expect(() => stdoutLogger({ format: 'xml' as never })).toThrow(
      "Option format of stdoutLogger is \"xml\"; it must be 'json' or 'pretty'",
    );
  });
});

describe('the lines of a turn', () => {
  it('are one write to process.stdout as it is then, and none to the console', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const [one, two] = [stdoutLogger({ format: 'json' }), stdoutLogger({ format: 'json' })];
    one.log(record(0));
    two.log(record(1));
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await turn();
    expect(write.mock.calls.map(([text]) => numbers(String(text)))).toEqual([[0, 1]]);
    expect(log).not.toHaveBeenCalled();
  });

  it('are counted in one line if too much waits in the stream', async () => {
    const logger = stdoutLogger({ format: 'json' });
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const length = vi.spyOn(process.stdout, 'writableLength', 'get').mockReturnValue(9 * 1024 * 1024);
    for (const n of [0, 1]) logger.log(record(n));
    await turn();
    logger.log(record(2));
    await turn();
    length.mockReturnValue(0);
    for (const n of [3, 4]) logger.log(record(n));
    await turn();
    expect(write.mock.calls.map(([text]) => numbers(String(text)))).toEqual([['3 dropped', 3, 4]]);
  });

  it('break nothing where a write fails later', async () => {
    const logger = stdoutLogger({ format: 'json' });
    const { stdout } = process;
    const before = stdout.listenerCount('error');
    vi.spyOn(stdout, 'write').mockImplementation((_text: unknown, done?: unknown) => {
      for (let twice = 2; twice > 0; twice -= 1) (done as (error: Error) => void)(new Error('EPIPE'));
      return false;
    });
    logger.log(record(0));
    await turn();
    // The stream would end the process by the error that follows, had nobody a listener for it.
    expect(stdout.listenerCount('error')).toBe(before === 0 ? 1 : before);
    if (before === 0) stdout.removeAllListeners('error');
  });
});

it('Cloudflare has descriptors and built-ins of Node that lead nowhere: lines go to the console', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  vi.resetModules();
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const logger = (await import('lifesign/logging')).stdoutLogger();
  for (const n of [0, 1]) logger.log(record(n));
  expect(log.mock.calls.map(([line]) => numbers(String(line)))).toEqual([[0], [1]]);
  expect(String(log.mock.calls)).not.toContain('\n');
});
