import { dirname, join, relative } from 'node:path';
import { isRecord } from '../json.js';
import type { Plan } from './changes.js';
import type { Client, Use } from './clients.js';
import { entriesOf, isFile, readText } from './files.js';
import type { Framework } from './frameworks.js';
import type { Module } from './modules.js';
import { filesIn } from './present.js';
import { jsonOf, majorOf, type Project, workspacesOf } from './project.js';

/** A package whose client lifesign can check. */
interface Package {
  readonly use: Use | 'broker';
  /** The library of the clients that are read from the code, if it has another name. */
  readonly library?: string;
  /** Whether other packages use it as their driver. */
  readonly isDriver?: boolean;
  /** The client in a Fastify application. */
  readonly member?: string;
  /** The type of a client that the container of NestJS provides. */
  readonly type?: string;
}

const driver: Package = { use: 'db', isDriver: true };

const packages: Readonly<Record<string, Package>> = {
  '@fastify/mongodb': { use: 'mongo', member: 'mongo.client' },
  '@fastify/mysql': { use: 'db', member: 'mysql' },
  '@fastify/postgres': { use: 'db', member: 'pg.pool' },
  '@fastify/redis': { use: 'redis', member: 'redis' },
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
  mongodb: { use: 'mongo', isDriver: true, type: 'MongoClient' },
  bullmq: { use: 'broker' },
  '@redis/client': { use: 'redis', isDriver: true },
  ioredis: { use: 'redis', isDriver: true, type: 'Redis' },
  iovalkey: { use: 'redis', isDriver: true },
  redis: { use: 'redis', isDriver: true, type: 'RedisClientType' },
  amqplib: { use: 'broker' },
  kafkajs: { use: 'broker' },
  nats: { use: 'broker' },
  'pg-boss': { use: 'broker' },
  '@platformatic/kafka': { use: 'broker' },
  '@valkey/valkey-glide': { use: 'redis', isDriver: true },
};

/** The packages with databases. */
export const databases = Object.keys(packages).filter((name) => packages[name]?.use === 'db');

const libraryOf = (name: string): string => packages[name]?.library ?? name.replace(/^(mysql2)\/.*/, '$1');

/** Where a line for a client goes. */
interface Target {
  readonly framework: Framework | 'next' | 'worker';
  /** The name of the application, and the module that Health is created in. */
  readonly application?: string | undefined;
  readonly place?: string;
  /** Whether the line of Health is in the changes: it gets one more option. */
  readonly isAttached?: boolean;
}

const checks = {
  db: ['database', 'checkDatabaseConnected'],
  mongo: ['mongodb', 'mongo'],
  redis: ['redis', 'checkRedisConnected'],
  broker: ['broker', 'checkBrokerConnected'],
} as const;

/** The line that adds the check of a client; `injected` is how the container of NestJS provides it. */
function lineFor(target: Target, use: Package['use'], client: string, injected?: string): string {
  const { framework, application = 'app', place = 'the module of the application' } = target;
  const [name, factory] = checks[use];
  const check = `health.check('${name}', checks.${factory}(${client}))`;
  if (framework === 'nestjs')
    return `constructor(@Inject(Health) health: Health${injected ? `, ${injected}` : ''}) { ${check}; } in the root module, with checks and Health of lifesign/nestjs`;
  // A plugin has its client when all plugins are loaded.
  if (framework === 'fastify' && client.startsWith(`${application}.`))
    return `const health = new Health(${application}); ${application}.addHook('onReady', async () => void ${check}); in ${place}, with checks of lifesign/fastify`;
  if (framework === 'next')
    return use === 'mongo'
      ? `a check with checks.mongo(${client}) in the file that HEALTH_CONFIG names, see docs/auto.md#checks`
      : `watch({ ${use}: ${client} }); in register() of instrumentation.ts, with watch of lifesign/auto`;
  const args = framework === 'worker' ? [] : [application];
  if (target.isAttached === true && use !== 'mongo')
    return `${use}: ${client} into the options of Health in ${place}`;
  return use === 'mongo'
    ? `const health = new Health(${args.join()}); ${check}; in ${place}, with checks of lifesign/${framework}`
    : `new Health(${[...args, `{ ${use}: ${client} }`].join(', ')}); in ${place}`;
}

/** Names clients that the code shows and the line of Health cannot refer to. */
export function noteClients(plan: Plan, target: Target, clients: readonly Client[]): void {
  for (const { module, line, name, library, use } of clients) {
    const created = name === undefined ? 'a client' : name;
    plan.note(
      `${module.name}:${line} creates ${created} of ${library}, and no check was added for it: write ${lineFor(target, use, name ?? 'client')}`,
    );
  }
}

/** Names the clients among the dependencies of a service for which no check was added; `known` are the libraries that were checked or named. */
export function noteUnchecked(
  plan: Plan,
  project: Project,
  all: readonly Module[],
  target: Target,
  known: readonly string[],
): void {
  const seen = new Set(known.map(libraryOf));
  const imported = all
    .flatMap(({ modules }) => [...modules])
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  const own = {
    folder: project.directory,
    names: new Set([...dependenciesIn(project.manifest), ...imported]),
  };
  const owners: { folder: string; names: ReadonlySet<string>; from?: string }[] = [own];
  const workspaces = workspacesAround(project.directory);
  for (const { folder, names, from } of owners) {
    for (const name of names) {
      const below = workspaces.get(name);
      if (below === undefined || owners.some((one) => one.folder === below)) continue;
      const manifest = readText(join(below, 'package.json')) ?? '';
      owners.push({ folder: below, names: new Set(dependenciesIn(manifest)), from: name });
    }
    const clients = [...names].filter((name) => Object.hasOwn(packages, name));
    for (const name of clients) {
      const { use, member, type } = packages[name] ?? driver;
      const library = libraryOf(name);
      const isUsed = clients.some((one) => one !== name && usesDriver(one, name));
      // The connection of BullMQ may be checked itself.
      if (seen.has(library) || isUsed || (name === 'bullmq' && seen.has('ioredis'))) continue;
      seen.add(library);
      const place = usedIn(folder, name);
      const text = (place && readText(place)) ?? '';
      const decorated = /\.decorate\(\s*['"](\w+)['"]/.exec(text)?.[1];
      const property = member ?? (target.framework === 'fastify' ? decorated : undefined);
      const client = property === undefined ? 'client' : `${target.application ?? 'app'}.${property}`;
      const token = /\bprovide\s*:\s*([\w$.]+|'[^']*'|"[^"]*")/.exec(text)?.[1];
      const injected =
        library === 'mongoose' && names.has('@nestjs/mongoose')
          ? '@InjectConnection() client: Connection'
          : token && type && `@Inject(${token}) client: ${type}`;
      const where =
        place === undefined
          ? `${name} is among the dependencies${from === undefined ? '' : ` of ${from}`}`
          : `${relative(project.directory, place)} uses ${name}`;
      // A client of redis 3 has no promises.
      if (library === 'redis' && (majorOf(project, library) ?? 4) < 4) {
        plan.note(`${where}, and no check was added for it: lifesign checks redis 4 and newer`);
        continue;
      }
      const take = from === undefined ? '' : `take the client from ${from}, and `;
      const line = lineFor(target, use, client, injected);
      plan.note(`${where}, and no check was added for it: ${take}write ${line}`);
    }
  }
}

/** Whether a package of the same kind is above a driver: its client is checked or named itself. */
function usesDriver(name: string, below: string): boolean {
  const { use, isDriver = false } = packages[name] ?? driver;
  if (name === 'bullmq') return below === 'ioredis';
  return !isDriver && packages[below]?.isDriver === true && use === packages[below].use;
}

/** The dependencies of a package.json at run time. */
function dependenciesIn(manifest: string): string[] {
  const json = jsonOf(manifest);
  return ['dependencies', 'optionalDependencies'].flatMap((key) => {
    const value = isRecord(json) ? json[key] : undefined;
    return isRecord(value) ? Object.keys(value) : [];
  });
}

/** The file of a folder that imports a package; tests and scripts do not count. */
function usedIn(folder: string, name: string): string | undefined {
  const imports = new RegExp(`(?:from|require\\(|import\\(?)\\s*['"]${name}['"/]`);
  const aside = /(?:^|[/.])(?:tests?|spec|__tests__|scripts|migrations)[/.]/;
  return filesIn(folder).find(
    (path) =>
      /\.[cm]?[jt]s$/.test(path) && !aside.test(relative(folder, path)) && imports.test(readText(path) ?? ''),
  );
}

/** The folders of the packages of the monorepo that a folder belongs to, by their names. */
function workspacesAround(directory: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (
    let folder = dirname(directory);
    folder !== dirname(folder) && found.size === 0;
    folder = dirname(folder)
  ) {
    if (!isFile(join(folder, 'package.json'))) continue;
    for (const pattern of workspacesOf(folder)) {
      const [base = '', star] = pattern.split(/\/\*+/);
      const below = join(folder, base);
      for (const place of star === undefined
        ? [below]
        : entriesOf(below).map(({ name }) => join(below, name))) {
        const json = jsonOf(readText(join(place, 'package.json')) ?? '');
        if (isRecord(json) && typeof json['name'] === 'string') found.set(json['name'], place);
      }
    }
  }
  return found;
}
