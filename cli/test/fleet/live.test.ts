import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { answering, fakePrometheus, pointsOf } from './fake.js';
import { shop, thousand } from './fleets.js';

const script = '/usr/bin/script';

/** The built command on a terminal of its own. */
function onTerminal(url: string, rows: number, columns: number) {
  const bin = join(inject('builtCli'), 'dist/bin.js');
  const command = `stty rows ${rows} cols ${columns}; exec ${process.execPath} ${bin} fleet --prometheus ${url} --every 100ms`;
  const child = spawn(script, ['-qefc', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm' },
  });
  let output = '';
  // What cannot be seen gets a sign.
  child.stdout.on('data', (bytes) => (output += String(bytes).replaceAll('\u001B', '␛')));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    type: (keys: string) => child.stdin.write(keys),
    ended,
    output: () => output,
    /** What is drawn from now on. */
    async until(pattern: RegExp) {
      output = '';
      for (;;) {
        const found = pattern.exec(output);
        if (found !== null) return output;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

describe.skipIf(!existsSync(script))('live on a terminal', () => {
  test('draws again, marks what is old, recovers, and Ctrl-C leaves the terminal as it was', async () => {
    const well = answering(pointsOf(shop));
    const fake = await fakePrometheus(well);
    const terminal = onTerminal(fake.url, 40, 100);
    await terminal.until(/␛\[\?1049h␛\[\?25l/);
    await terminal.until(/␛\[H[^]*1 failing[^]*␛\[J/);
    fake.handler = (_req, res) => res.writeHead(503).end();
    const old = await terminal.until(/stale, \d+ s old: Prometheus at \S+ answered 503/);
    // What was seen last is still there.
    expect(await terminal.until(/␛\[J/)).toBeDefined();
    expect(old).toContain('10.0.0.3:8000');
    fake.handler = answering(pointsOf(shop.slice(0, 1)));
    await terminal.until(/1 service, 1 instance: all ok/);
    expect(await terminal.until(/␛\[H[^]*␛\[J/)).not.toContain('stale, ');
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
    expect(terminal.output()).toMatch(/␛\[\?25h␛\[\?1049l\s*$/);
  });

  test('Ctrl-C does not wait for a Prometheus that hangs', async () => {
    const fake = await fakePrometheus(answering(pointsOf(shop)));
    const terminal = onTerminal(fake.url, 40, 100);
    await terminal.until(/1 failing/);
    const asked = new Promise<void>((resolve) => {
      fake.handler = () => resolve();
    });
    await asked;
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(0);
  });

  test('no more lines than it has, none wider than it', async () => {
    const fake = await fakePrometheus(answering(pointsOf(thousand())));
    const terminal = onTerminal(fake.url, 12, 50);
    const drawn = await terminal.until(/␛\[H[^]*␛\[J/);
    const [, frame = ''] = /␛\[H([^]*?)␛\[J/.exec(drawn) ?? [];
    const lines = frame
      .replaceAll(/␛\[\d*[mK]/g, '')
      .trimEnd()
      .split(/\r?\n/);
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toMatch(/^… \d+ more lines: --once and --json show th/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
  });
});
