import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../core/waiting.js';
import { ask, gate, start, watchdogOf } from './start.js';

/** A file as Kubernetes has it in a container: there, and empty. */
function makeFile(content = '') {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-termination-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'termination-log');
  writeFileSync(path, content);
  return { path, read: () => readFileSync(path, 'utf8') };
}

const quick = { port: 0, busyAfter: 300 };

describe('the last words of a process', { timeout: 120_000 }, () => {
  it.each([
    ['', 1500],
    [', also if that is before its stack is captured', 301],
  ])(
    'are of the loop that is stuck, by the thread while it is, and are taken back when it is free%s',
    async (_case, stuckAfter) => {
      const { path, open } = gate();
      const file = makeFile('the words of the application\n');
      const watchdog = { ...quick, stuckAfter, terminationLog: file.path };
      const app = await start({ watchdog });
      const port = await watchdogOf(app);
      app.send(`/until?file=${path}`);
      await until(() => file.read().includes('lifesign: '));
      expect(file.read()).toMatch(
        /^the words of the application\nlifesign: \d{4}-\S+Z The event loop is stuck: it has been blocked for \d+ ms in spinUntil \(app\.mjs:\d+\), request: GET \/until\n$/,
      );
      await until(() => app.said('The event loop is stuck') !== undefined);
      expect(app.said('The event loop is stuck')).toMatchObject({ Type: 'health.loop', Severity: 3 });
      expect(await ask(port)).toMatchObject({ state: 'stuck' });
      open();
      await until(() => file.read() === 'the words of the application\n');
      await until(() => app.said('is free again') !== undefined);
      expect(app.lines().filter(({ Fields }) => String(Fields['msg']).includes('is stuck'))).toHaveLength(1);
    },
  );

  it('name the requests in progress if native code blocks, without their queries', async () => {
    const file = makeFile();
    const watchdog = { ...quick, stuckAfter: 1200, terminationLog: file.path };
    const app = await start({ watchdog, block: 'fifo', ms: 4000 });
    app.send('/hang?token=hunter2');
    await app.get('/seen');
    app.send('/prepared?token=hunter2');
    await until(() => file.read() !== '');
    expect(file.read()).toMatch(
      /is stuck: it has been blocked for \d+ ms \(in native code or garbage collection, no stack; requests in progress: GET \/prepared, GET \/hang\)\n$/,
    );
    expect(app.loopLines()[0]?.Fields).toMatchObject({
      requests: expect.stringMatching(/^GET \/prepared, GET \/hang$/),
    });
    expect(file.read() + app.stdout()).not.toMatch(/hunter2/);
  });

  it('are the verdict, while /livez fails', async () => {
    const file = makeFile();
    const probes = { restartAfter: 300, probeEvery: 100 };
    const app = await start({ watchdog: { ...quick, terminationLog: file.path }, probes });
    const port = await watchdogOf(app);
    const probe = async () => (await fetch(`${port}/livez`)).text();
    await until(async () => {
      await probe();
      return (await app.get('/runs')) !== '0';
    });
    await app.get('/break');
    await until(async () => (await probe()).includes('fail') && file.read() !== '');
    expect(file.read()).toMatch(/^lifesign: \S+ livez fails: breakable: by its scope\n$/);
    await app.get('/mend');
    await until(async () => (await probe()).includes('pass') && file.read() === '');
  });

  it('are what a drain has cut', async () => {
    const file = makeFile();
    const drain = { delay: 0, timeout: 300 };
    const app = await start({ watchdog: { ...quick, terminationLog: file.path }, drain });
    await watchdogOf(app);
    app.send('/hang');
    await app.get('/seen');
    app.child.kill('SIGTERM');
    expect(await app.exited()).toEqual({ code: 1, signal: null });
    expect(file.read()).toMatch(
      /^lifesign: \S+ The drain was not complete: Requests were cut off: they took longer than 300 ms\n$/,
    );
  });

  it.each([
    ['/throw', 'an uncaught exception: Error: no connection to postgres:', 'Error: no connection'],
    ['/reject', 'an unhandled rejection: TypeError: rejected with password=', 'TypeError: rejected'],
  ])('are the error that nothing catches: %s', async (path, words, printed) => {
    const file = makeFile();
    const app = await start({ watchdog: { ...quick, terminationLog: file.path } });
    await watchdogOf(app);
    app.send(path);
    expect(await app.exited()).toEqual({ code: 1, signal: null });
    // As Node prints it, and nothing else.
    expect(app.stderr()).toContain(printed);
    expect(app.stderr()).not.toContain('lifesign: ');
    expect(file.read()).toMatch(/^lifesign: [^\n]+ at \S+ ?\(?\S+app\.mjs:\d+:\d+\)?\n$/);
    expect(file.read()).toContain(`The process ends because of ${words}`);
    expect(app.said('The process ends because of')).toMatchObject({ Type: 'health', Severity: 2 });
    expect(file.read() + app.stdout()).not.toContain('hunter2');
  });
});
