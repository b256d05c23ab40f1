import { expect, it } from 'vitest';
import { describeFrames } from '../../src/watchdog/thread/frames.js';

const frame = (functionName: string, scriptId: string, lineNumber = 0) => ({
  callFrameId: '0',
  functionName,
  location: { scriptId, lineNumber, columnNumber: 4 },
  url: '',
  scopeChain: [],
  this: { type: 'undefined' as const },
});
const script = (url: string) => ({ url, sourceMapUrl: undefined });

it('marks what is not of the application and blames the first frame that is', () => {
  const scripts = new Map([
    ['1', script('node:fs')],
    ['2', script('file:///app/node_modules/csv/index.js')],
    ['3', script('file:///app/src/my%20report.js')],
  ]);
  expect(
    describeFrames(
      [frame('read', '1'), frame('', '2', 6), frame('parse', '3', 11), frame('x', '9')],
      scripts,
    ),
  ).toEqual({
    stack:
      'at read (node:fs:1:5) [node]\nat /app/node_modules/csv/index.js:7:5 [node_modules]\nat parse (/app/src/my report.js:12:5)\nat x (<anonymous>:1:5)',
    culprit: 'parse (my report.js:12)',
  });
});

it('blames the top where all of it is of others, and nothing where there is no frame', () => {
  const scripts = new Map([['1', script('node:fs')]]);
  expect(describeFrames([frame('read', '1')], scripts).culprit).toBe('read (node:fs:1)');
  expect(describeFrames([], scripts)).toEqual({ stack: '', culprit: undefined });
});

it('is scrubbed: names and paths may carry secrets', () => {
  const scripts = new Map([['1', script('https://user:hunter2hunter2@host/app.js?token=abcdefghijklmnop')]]);
  const { stack, culprit } = describeFrames([frame('postgres://me:hunter2hunter2@db/x', '1')], scripts);
  expect(stack + culprit).not.toContain('hunter2');
  expect(stack + culprit).not.toContain('abcdefghijklmnop');
});

it('is bounded, however deep and long', () => {
  const scripts = new Map([['1', script(`file:///${'x'.repeat(10_000)}.js`)]]);
  const { stack, culprit } = describeFrames(
    Array.from({ length: 10_000 }, () => frame('f'.repeat(10_000), '1')),
    scripts,
  );
  expect(stack.length).toBeLessThan(4000);
  expect(culprit?.length).toBeLessThan(1000);
});
