import fs from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function freshLogger() {
  vi.resetModules();
  const { stdoutLogger } = await import('../../../src/logging/stdout/stdout.js');
  return stdoutLogger();
}

const record = (n: number) => ({ logger: 'ours', level: 20 as const, time: 1, fields: { n } });

/** The numbers of the lines that a mocked function was given. */
const numbers = (calls: readonly (readonly unknown[])[]) =>
  calls.map(([line]) => (JSON.parse(String(line)) as { Fields: { n: number } }).Fields.n);

it('Cloudflare has descriptors and built-ins of Node that lead nowhere: lines go to the console', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const logger = await freshLogger();
  for (const n of [0, 1, 2]) logger.log(record(n));
  expect(numbers(log.mock.calls)).toEqual([0, 1, 2]);
  for (const [line] of log.mock.calls) expect(String(line)).not.toContain('\n');
});

it("a test runner's console gets no line: that of Jest would print a stack with each", async () => {
  const before = process.listenerCount('SIGTERM');
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const written: string[] = [];
  vi.spyOn(fs, 'writeSync').mockImplementation((_fd, bytes) => {
    written.push(bytes);
    return bytes.length;
  });
  const logger = await freshLogger();
  logger.log(record(0));
  await vi.waitFor(() => expect(written.join('')).toContain('"n":0'));
  expect(log).not.toHaveBeenCalled();
  expect(process.listenerCount('SIGTERM')).toBe(before);
});

it('a replaced write gets each line at once, and what does not fit is counted', async () => {
  const logger = await freshLogger();
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const lines: { Fields: { n?: number; dropped?: number } }[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(JSON.parse(String(line))) > 0);
  const length = vi.spyOn(process.stdout, 'writableLength', 'get').mockReturnValue(0);
  logger.log(record(0));
  length.mockReturnValue(9 * 1024 * 1024);
  logger.log(record(1));
  logger.log(record(2));
  length.mockReturnValue(0);
  logger.log(record(3));
  logger.log(record(4));
  expect(lines.map(({ Fields }) => Fields.n ?? `${Fields.dropped} dropped`)).toEqual([0, '2 dropped', 3, 4]);
  expect(log).not.toHaveBeenCalled();
});

it('a replaced write that throws, or fails later, breaks nothing', async () => {
  const logger = await freshLogger();
  const { stdout } = process;
  const write = vi.spyOn(stdout, 'write').mockImplementation(() => {
    throw new Error('theirs');
  });
  expect(() => logger.log(record(0))).not.toThrow();
  const failed: ((error?: Error) => void)[] = [];
  write.mockImplementation((_line: unknown, done?: unknown) => failed.push(done as () => void) > 0);
  logger.log(record(1));
  logger.log(record(2));
  const before = stdout.listenerCount('error');
  // The stream would end the process by the error that follows, had nobody a listener for it.
  failed[0]?.(new Error('EPIPE'));
  failed[1]?.(new Error('EPIPE'));
  expect(stdout.listenerCount('error')).toBe(before === 0 ? 1 : before);
  failed[0]?.();
  if (before === 0) stdout.removeAllListeners('error');
});

it('a console that leads back to the logger does not run for ever', async () => {
  const logger = await freshLogger();
  const lines: unknown[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(line);
    if (lines.length < 10) logger.log(record(lines.length));
    return true;
  });
  const real = vi.spyOn(fs, 'writeSync').mockReturnValue(0);
  logger.log(record(0));
  expect(lines).toHaveLength(1);
  real.mockRestore();
});
