import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { install } from '../../scripts/install.mjs';
import { drawn } from '../whole.js';

/** Packages of many files that few tests need: each run of `npm test` installs one of them and runs its tests. */
export const drawnHosts: readonly string[] = ['kubernetes', 'nest-modules', 'otel', 'prisma7'];

export const isDrawnHost = (name: string): boolean => drawn(drawnHosts, 1).includes(name);

export const installHost = (name: string): void => install(join(import.meta.dirname, name));

/** In one go, while `npm test` checks the sources. */
export function installDrawn(): void {
  for (const name of drawn(drawnHosts, 1)) installHost(name);
}

/** The packages of a project of vitest.config.ts that has the name of their folder. */
export default function setup({ name }: TestProject): void {
  installHost(name);
}
