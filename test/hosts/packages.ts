import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { install } from '../../scripts/install.mjs';

/** Packages of many files that few tests need: `npm test` installs them while it checks the sources, since `npm ci` would be waiting for them. */
export const hosts: readonly string[] = ['kubernetes', 'nest-modules', 'otel', 'prisma7'];

export const installHost = (name: string): void => install(join(import.meta.dirname, name));

/** The packages of a project of vitest.config.ts that has the name of their folder. */
export default function setup({ name }: TestProject): void {
  installHost(name.replace(/^whole-/, ''));
}
