import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { install } from '../../../scripts/install.mjs';

export interface GeneratedPrisma {
  $queryRawUnsafe(sql: string): Promise<unknown>;
  $executeRawUnsafe(sql: string): Promise<number>;
  $connect(): Promise<void>;
  $disconnect(): Promise<void>;
}
type Constructor = new (options: { readonly adapter: object }) => GeneratedPrisma;

install(import.meta.dirname);
const require = createRequire(import.meta.url);
const own = (name: string) => require.resolve(name, { paths: [import.meta.dirname] });

/** A client of Prisma 6 that needs no engine: its queries are compiled by WebAssembly inside the package. */
export function generatePrisma6(): Constructor {
  const folder = join(import.meta.dirname, 'node_modules/.cache/lifesign-prisma6');
  mkdirSync(folder, { recursive: true });
  const schema = `generator client {
  provider   = "prisma-client-js"
  output     = "./client"
  engineType = "client"
}
datasource db {
  provider = "postgresql"
  url      = env("DATABASE_URL")
}
model Thing {
  id Int @id
}
`;
  writeFileSync(join(folder, 'schema.prisma'), schema);
  execFileSync(
    process.execPath,
    [own('prisma/build/index.js'), 'generate', '--schema', join(folder, 'schema.prisma')],
    {
      cwd: import.meta.dirname,
      // Neither engine is used, and neither is to be downloaded.
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
        PRISMA_QUERY_ENGINE_LIBRARY: '/bin/true',
        CHECKPOINT_DISABLE: '1',
      },
      stdio: 'pipe',
    },
  );
  const generated: { PrismaClient: Constructor } = require(join(folder, 'client'));
  return generated.PrismaClient;
}

const adapter: { PrismaPg: new (options: object) => object } = require('@prisma/adapter-pg');
export const PrismaPg6 = adapter.PrismaPg;

const manifest: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'node_modules/@prisma/client/package.json'), 'utf8'),
);
export const prisma6Version = manifest.version;
