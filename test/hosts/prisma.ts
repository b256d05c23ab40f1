import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { install } from '../../scripts/install.mjs';

/** The part of a generated client that applications call raw queries with. */
export interface GeneratedPrisma {
  $queryRawUnsafe(sql: string): Promise<unknown>;
  $executeRawUnsafe(sql: string): Promise<number>;
  $connect(): Promise<void>;
  $disconnect(): Promise<void>;
}
export type PrismaConstructor = new (options: { readonly adapter: object }) => GeneratedPrisma;

const made = new Map<string, PrismaConstructor>();

/**
 * Generates a real client, without a network: only migrations need the engine that it would download.
 *
 * @param command - the folder with the package `prisma`
 * @param folder - where the client is written, beside its `@prisma/client`
 */
export function generatePrisma(
  command: string,
  folder: string,
  provider: string,
  { generator = '', datasource = '' } = {},
): PrismaConstructor {
  const known = made.get(folder);
  if (known !== undefined) return known;
  install(command);
  const schema = join(folder, 'schema.prisma');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    schema,
    `generator client {
  provider = "prisma-client-js"
  output   = "./client"
  ${generator}
}
datasource db {
  provider = "${provider}"
  ${datasource}
}
model Thing {
  id Int @id
}
`,
  );
  execFileSync(
    process.execPath,
    [join(command, 'node_modules/prisma/build/index.js'), 'generate', '--schema', schema],
    {
      cwd: command,
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
  const generated: { PrismaClient: PrismaConstructor } = createRequire(import.meta.url)(
    join(folder, 'client'),
  );
  made.set(folder, generated.PrismaClient);
  return generated.PrismaClient;
}

const command7 = join(import.meta.dirname, 'prisma7');

/** A client of Prisma 7, with the `@prisma/client` of the root. */
export const generatePrisma7 = (provider: string): PrismaConstructor =>
  generatePrisma(
    command7,
    join(import.meta.dirname, `../../node_modules/.cache/lifesign-prisma-${provider}`),
    provider,
  );
