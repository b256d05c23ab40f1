import { dirname, join, relative } from 'node:path';
import type { Plan } from './changes.js';
import type { Use } from './client-kinds.js';
import { entriesOf, readText } from './files.js';
import type { Module } from './modules.js';
import { filesIn } from './present.js';
import { isFile, jsonOf, type Project, workspacesIn } from './project.js';
import { isRecord } from '../json.js';

/** A package whose client lifesign can check. */
interface Package {
  readonly use: Use | 'broker';
  /** The library of the clients that are read from the code, if it has another name. */
  readonly library?: string;
  /** Whether other packages use it as their driver. */
  readonly isDriver?: boolean;
}

const driver: Package = { use: 'db', isDriver: true };

const packages: Readonly<Record<string, Package>> = {
  '@fastify/mongodb': { use: 'mongo' },
  '@fastify/mysql': { use: 'db' },
  '@fastify/postgres': { use: 'db' },
  '@fastify/redis': { use: 'redis' },
  '@mikro-orm/core': { use: 'db' },
  '@nestjs/mongoose': { use: 'mongo', library: 'mongoose' },
  '@prisma/client': { use: 'db', library: 'prisma' },
  '@sequelize/core': { use: 'db' },
  'drizzle-orm': { use: 'db' },
  knex: { use: 'db' },
  kysely: { use: 'db' },
  mongoose: { use: 'mongo' },
  sequelize: { use: 'db' },
  typeorm: { use: 'db' },
  '@neondatabase/serverless': driver,
  'better-sqlite3': driver,
  mariadb: driver,
  mysql2: driver,
  pg: driver,
  postgres: driver,
  mongodb: { use: 'mongo', isDriver: true },
  bullmq: { use: 'broker' },
  '@redis/client': { use: 'redis', isDriver: true },
  ioredis: { use: 'redis', isDriver: true },
  iovalkey: { use: 'redis', isDriver: true },
  redis: { use: 'redis', isDriver: true },
  amqplib: { use: 'broker' },
  kafkajs: { use: 'broker' },
  mqtt: { use: 'broker' },
  nats: { use: 'broker' },
};

/** The packages with databases. */
export const databases = Object.keys(packages).filter((name) => packages[name]?.use === 'db');

const libraryOf = (name: string): string => packages[name]?.library ?? name.replace(/^(mysql2)\/.*/, '$1');

/** Names the clients among the dependencies of a service for which no check was added; `known` are the libraries that were checked or named. */
export function noteUnchecked(
  plan: Plan,
  project: Project,
  all: readonly Module[],
  known: readonly string[],
): void {
  const seen = new Set(known.map(libraryOf));
  const names = dependenciesOf(project, all);
  const clients = [...names.keys()].filter((name) => Object.hasOwn(packages, name));
  for (const name of clients) {
    const library = libraryOf(name);
    const isUsed = clients.some((one) => one !== name && usesDriver(one, name));
    // The connection of BullMQ may be checked itself.
    if (seen.has(library) || isUsed || (name === 'bullmq' && seen.has('ioredis'))) continue;
    seen.add(library);
    const owner = names.get(name);
    const place = usedIn(project, name);
    const where =
      place === undefined
        ? `${name} is among the dependencies${owner === undefined ? '' : ` of ${owner}`}`
        : `${relative(project.directory, place)} uses ${name}`;
    plan.note(`${where}, and no check was added for it: docs/checks.md has the line for its client`);
  }
}

/** Whether a package of the same kind is above a driver: its client is checked or named itself. */
function usesDriver(name: string, below: string): boolean {
  const { use, isDriver = false } = packages[name] ?? driver;
  if (name === 'bullmq') return below === 'ioredis';
  return !isDriver && packages[below]?.isDriver === true && use === packages[below].use;
}

/** The dependencies of the service at run time, by package.json and by the code, with the package of the monorepo that brings them. */
function dependenciesOf(
  { directory, manifest }: Project,
  all: readonly Module[],
): Map<string, string | undefined> {
  const imported = all
    .flatMap(({ modules }) => [...modules])
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  const found = new Map<string, string | undefined>();
  for (const name of [...listedIn(manifest), ...imported]) found.set(name, undefined);
  const folders = workspacesAround(directory);
  for (const [name] of found) {
    const folder = folders.get(name);
    if (folder === undefined || folder === directory) continue;
    for (const one of listedIn(readText(join(folder, 'package.json')) ?? ''))
      if (!found.has(one)) found.set(one, name);
  }
  return found;
}

function listedIn(manifest: string): string[] {
  const json = jsonOf(manifest);
  return ['dependencies', 'optionalDependencies'].flatMap((key) => {
    const value = isRecord(json) ? json[key] : undefined;
    return isRecord(value) ? Object.keys(value) : [];
  });
}

/** The file of a project that imports a package; tests and scripts do not count. */
function usedIn({ directory }: Project, name: string): string | undefined {
  const imports = new RegExp(`(?:from|require\\(|import\\(?)\\s*['"]${name}['"/]`);
  for (const path of filesIn(directory)) {
    if (
      !/\.[cm]?[jt]s$/.test(path) ||
      /(?:^|[/.])(?:tests?|spec|__tests__|scripts|migrations)[/.]/.test(relative(directory, path))
    )
      continue;
    if (imports.test(readText(path) ?? '')) return path;
  }
  return undefined;
}

/** The folders of the packages of the monorepo that a folder belongs to, by their names. */
function workspacesAround(directory: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let folder = dirname(directory); folder !== dirname(folder); folder = dirname(folder)) {
    if (!isFile(join(folder, 'package.json'))) continue;
    for (const pattern of workspacesIn(folder)) {
      const [base = '', star] = pattern.split(/\/\*+/);
      const places =
        star === undefined
          ? [join(folder, base)]
          : entriesOf(join(folder, base)).map((entry) => join(folder, base, entry.name));
      for (const place of places) {
        const json = jsonOf(readText(join(place, 'package.json')) ?? '');
        if (isRecord(json) && typeof json['name'] === 'string') found.set(json['name'], place);
      }
    }
    if (found.size > 0) break;
  }
  return found;
}
