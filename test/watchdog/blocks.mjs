// Five ways to block the event loop for `ms` milliseconds or so; each function is the one that a stack should name.
import { execFileSync, spawn } from 'node:child_process';
import { pbkdf2Sync } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Times per second that something small was done, tried for a moment. */
function speedOf(work) {
  const end = performance.now() + 50;
  const before = process.cpuUsage();
  let times = 0;
  for (; performance.now() < end; times += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (times * 1_000_000) / (user + system);
}

export const blocks = {
  loop(ms) {
    return function spinLoop() {
      const end = performance.now() + ms;
      while (performance.now() < end);
    };
  },
  regexp(ms) {
    let length = 18;
    const measure = (text) => {
      const start = performance.now();
      /^(a+)+$/.test(text);
      return performance.now() - start;
    };
    let last = measure(`${'a'.repeat(length)}b`);
    // One letter more takes twice as long.
    while (last < ms / 4) last = measure(`${'a'.repeat((length += 1))}b`);
    while (last < ms) {
      last *= 2;
      length += 1;
    }
    const text = `${'a'.repeat(length)}b`;
    return function matchRegexp() {
      /^(a+)+$/.test(text);
    };
  },
  json(ms) {
    const piece = '{"a":1,"b":"cc","d":[1,2,3]},'.repeat(1000);
    const perSecond = speedOf(() => JSON.parse(`[${piece}1]`));
    const text = `[${piece.repeat(Math.ceil((perSecond * ms) / 1000))}1]`;
    return function parseJson() {
      JSON.parse(text);
    };
  },
  fifo(ms) {
    const directory = mkdtempSync(join(tmpdir(), 'lifesign-fifo-'));
    const path = join(directory, 'pipe');
    execFileSync('mkfifo', [path]);
    return function readFifo() {
      // Opened in both directions, it does not wait for a reader that has been killed.
      spawn('sh', ['-c', `sleep ${ms / 1000}; echo x 1<> ${path}; rm -r ${directory}`], { stdio: 'ignore' });
      readFileSync(path);
    };
  },
  pbkdf2(ms) {
    const perSecond = speedOf(() => pbkdf2Sync('secret', 'salt', 100, 64, 'sha512')) * 100;
    const rounds = Math.ceil((perSecond * ms) / 1000);
    return function deriveKey() {
      pbkdf2Sync('secret', 'salt', rounds, 64, 'sha512');
    };
  },
};
