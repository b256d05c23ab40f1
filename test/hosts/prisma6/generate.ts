import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { install } from '../../../scripts/install.mjs';
import { generatePrisma, type PrismaConstructor } from '../prisma.js';

const here = import.meta.dirname;
install(here);

/** A client of Prisma 6 that needs no engine: its queries are compiled by WebAssembly inside the package. */
export const generatePrisma6 = (): PrismaConstructor =>
  generatePrisma(here, join(here, 'node_modules/.cache/lifesign-prisma6'), 'postgresql', {
    generator: 'engineType = "client"',
    datasource: 'url = env("DATABASE_URL")',
  });

const adapter: { PrismaPg: new (options: object) => object } = createRequire(import.meta.url)(
  '@prisma/adapter-pg',
);
export const PrismaPg6 = adapter.PrismaPg;

const manifest: { version: string } = JSON.parse(
  readFileSync(join(here, 'node_modules/@prisma/client/package.json'), 'utf8'),
);
export const prisma6Version = manifest.version;
