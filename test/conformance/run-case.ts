import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case } from './case.js';
import type { Host } from './host.js';

/** Starts an application for one case, tries it, and leaves nothing behind. */
export async function runCase(host: Host, { setup, run }: Case): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'lifesign-'));
  try {
    const running = await host.start((await setup?.(directory)) ?? {});
    try {
      await run(running, directory);
    } finally {
      await running.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}
