import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Health, type HealthOptions } from 'lifesign/worker';
import { collect } from '../http/serving.js';

/** A worker on a free port of the loopback, and all that it logs. */
export function makeWorker(options: HealthOptions = {}) {
  const { logger, records } = collect();
  const anywhere = options.file === undefined;
  const health = new Health({ ...(anywhere && { port: 0 }), logger, ...options });
  onTestFinished(() => health.close());
  const jobs = () => records.filter((record) => record.logger === 'job.summary');
  const messages = () => records.filter(({ logger: name }) => name === 'health').map(({ msg }) => msg);
  return { health, records, jobs, messages };
}

/** A directory of the test's own. */
export function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'lifesign-worker-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
