import { join } from 'node:path';
import { install } from '../../scripts/install.mjs';

/** Packages of many files that few tests need: `npm test` installs them while it checks the sources, since `npm ci` would be waiting for them. */
export const hosts: readonly string[] = ['kubernetes', 'otel', 'prisma7'];

export default function setup(): void {
  for (const host of hosts) install(join(import.meta.dirname, host));
}
