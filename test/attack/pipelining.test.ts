import { expect, it, onTestFinished } from 'vitest';
import { pipelined, startPipelining } from '../faults/pipelining.js';

it.each(['node', 'express', 'koa', 'fastify', 'nest'])(
  '%s: 20,100 pipelined requests whose client resets leave a record each and nothing else',
  async (framework) => {
    const app = await startPipelining(framework, false, ['--max-old-space-size=128']);
    onTestFinished(app.end);
    const { early, late } = await pipelined(app, 20, 80);
    expect(late.wrong).toEqual([]);
    expect(late.records).toBe(late.seen);
    // Some bytes of a reset connection are never read.
    expect(late.seen).toBeGreaterThan(10_000);
    // 80 connections of 201 requests lie between: a kilobyte kept for each would be 16 MB.
    expect(late.heapUsed - early.heapUsed).toBeLessThan(2_500_000);
  },
);
