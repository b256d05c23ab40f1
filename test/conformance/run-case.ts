import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonLogFormatter } from 'lifesign/logging';
import { parseLine } from '../logging/schemas.js';
import type { Case } from './case.js';
import type { Host } from './host.js';

const formatter = new JsonLogFormatter({ loggerName: 'acme' });

/** Starts an application for one case, tries it, sees that its log fits the schemas, and leaves nothing behind. */
export async function runCase(host: Host, { setup, run }: Case): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'lifesign-'));
  try {
    const running = await host.start((await setup?.(directory)) ?? {});
    try {
      await run(running, directory);
      for (const record of running.records) parseLine(formatter.format(record));
    } catch (error) {
      // The reason of a 500 is in the log only.
      console.log(running.records.map((record) => formatter.format(record)).join(''));
      throw error;
    } finally {
      await running.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}
