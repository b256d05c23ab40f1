import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryLimit } from '../../src/metrics/memory-fit.js';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A file system with these files. */
function systemOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'lifesign-cgroup-'));
  roots.push(root);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

const mebibyte = 2 ** 20;
const unlimited1 = '9223372036854771712\n';

describe.runIf(process.platform === 'linux')('the memory of the container', () => {
  test.each([
    [
      'version 1, by the path of the host, of which a container sees only the root',
      {
        'proc/self/cgroup': '4:cpu,memory:/docker/4711\n0::/\n',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': `${128 * mebibyte}\n`,
        'sys/fs/cgroup/memory/memory.usage_in_bytes': `${96 * mebibyte}\n`,
        'sys/fs/cgroup/memory/memory.stat': `inactive_file 1\ntotal_inactive_file ${32 * mebibyte}\n`,
      },
      128 * mebibyte,
    ],
    ['no control groups', {}, undefined],
  ])('%s', (_case, files, expected) => {
    expect(memoryLimit(systemOf(files))).toEqual(expected);
  });

  test('is the tightest limit on the way up, whatever else the files have', () => {
    const limits = fc.array(fc.option(fc.integer({ min: 1, max: 2 ** 33 }), { nil: undefined }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(limits, fc.boolean(), (chain, isNew) => {
        const directory = (depth: number) =>
          join(
            isNew ? 'sys/fs/cgroup' : 'sys/fs/cgroup/memory',
            ...chain.slice(1, depth + 1).map((_, at) => `g${at}`),
          );
        const path = `/${chain
          .slice(1)
          .map((_, at) => `g${at}`)
          .join('/')}`;
        const files: Record<string, string> = {
          'proc/self/cgroup': isNew ? `0::${path}\n` : `9:memory:${path}\n`,
        };
        chain.forEach((limit, depth) => {
          const name = isNew ? 'memory.max' : 'memory.limit_in_bytes';
          files[join(directory(depth), name)] =
            limit === undefined ? (isNew ? 'max\n' : unlimited1) : `${limit}\n`;
        });
        const given = chain.filter((limit) => limit !== undefined);
        expect(memoryLimit(systemOf(files))).toBe(given.length === 0 ? undefined : Math.min(...given));
      }),
      { numRuns: 40 },
    );
  });

  test('survives files with anything in them', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (groups, limit, stat) => {
        const files = { 'proc/self/cgroup': `0::/${groups}\n`, 'sys/fs/cgroup/memory.max': limit };
        const found = memoryLimit(systemOf({ ...files, 'sys/fs/cgroup/memory.stat': stat }));
        if (found !== undefined) expect(found).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });
});
