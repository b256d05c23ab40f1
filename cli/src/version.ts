import { createRequire } from 'node:module';

/** By the package's own name: wherever the build puts this file, its manifest is found. */
const manifest: { version?: unknown } = createRequire(import.meta.url)('lifesign-cli/package.json');

/** The version of lifesign-cli, which lifesign has too. */
export const version: string = String(manifest.version);
