import { join, relative } from 'node:path';
import { isRecord } from '../json.js';
import type { Framework } from './applications.js';
import type { Plan } from './changes.js';
import { type Client, isOldRedis, libraries, packageOf, type Use } from './clients.js';
import { filesIn, readText } from './files.js';
import type { Module } from './modules.js';
import { jsonOf, packagesAround, type Project } from './project.js';

/** Where a line for a client goes. */
export interface Target {
  /** `auto` is lifesign/auto, without a line in the code. */
  readonly framework: Framework | 'auto' | 'worker';
  /** The name of the application, and where Health is created. */
  readonly application?: string | undefined;
  readonly place: string;
  /** Whether the line of Health is in the changes: it gets one more option. */
  readonly isAttached?: boolean;
}

/** The name and the factory of the check of a client. */
const checks = {
  db: ['database', 'checkDatabaseConnected'],
  mongo: ['mongodb', 'mongo'],
  redis: ['redis', 'checkRedisConnected'],
  broker: ['broker', 'checkBrokerConnected'],
} as const;

/** `db` for `db: db`. */
export const pair = (key: string, value: string): string => (key === value ? key : `${key}: ${value}`);

/** The line that adds the check of a client; `injected` is how the container of NestJS provides it. */
function lineFor(target: Target, use: Use, client: string, injected = ''): string {
  const { framework, application = 'app', place, isAttached = false } = target;
  const [name, factory] = checks[use];
  const factories = `checks of lifesign/${framework === 'auto' ? 'checks' : framework}`;
  if (framework === 'auto')
    return use === 'mongo'
      ? `watch({ checks: { mongodb: checks.mongo(${client}) } }); in ${place}, with watch of lifesign/auto and ${factories}`
      : `watch({ ${pair(use, client)} }); in ${place}, with watch of lifesign/auto`;
  const check = `health.check('${name}', checks.${factory}(${client}))`;
  if (framework === 'nestjs')
    return `constructor(@Inject(Health) health: Health${injected}) { ${check}; } in the root module, with checks and Health of lifesign/nestjs`;
  // A plugin of Fastify has its client when all plugins are loaded.
  const isLate = framework === 'fastify' && client.startsWith(`${application}.`);
  const written = isLate ? `${application}.addHook('onReady', async () => void ${check})` : check;
  const isOption = !isLate && (use === 'db' || use === 'redis');
  const args = framework === 'worker' ? [] : [application];
  if (isOption)
    return isAttached
      ? `${pair(use, client)} into the options of Health in ${place}`
      : `new Health(${[...args, `{ ${pair(use, client)} }`].join(', ')}); in ${place}`;
  return isAttached
    ? `const health = before its new Health in ${place}, and ${written} after it, with ${factories}`
    : `const health = new Health(${args.join()}); ${written}; in ${place}, with ${factories}`;
}

/** Names a client that the code creates and the line of Health cannot refer to. */
function nameClient(plan: Plan, target: Target, { module, line, name, library, use }: Client): void {
  const client = library === 'mongoose' ? 'mongoose.connection' : (name ?? 'client');
  const take = module.name === target.place ? '' : `take it from ${module.name}, and `;
  plan.note(
    `${module.name}:${line} creates ${name ?? 'a client'} of ${library}, and no check was added for it: ${take}write ${lineFor(target, use, client)}`,
  );
}

/** A package of the monorepo with the packages that it uses; the service itself has no name. */
interface Owner {
  readonly folder: string;
  readonly name?: string;
  readonly packages: ReadonlySet<string>;
}

/** The dependencies of a package.json at run time. */
function dependenciesIn(manifest: string): string[] {
  const json = jsonOf(manifest);
  return ['dependencies', 'optionalDependencies'].flatMap((key) => {
    const value = isRecord(json) ? json[key] : undefined;
    return isRecord(value) ? Object.keys(value) : [];
  });
}

/** The packages that a service depends on or imports. */
export const packagesOf = ({ manifest }: Project, all: readonly Module[]): Set<string> =>
  new Set([...dependenciesIn(manifest), ...all.flatMap(({ modules }) => [...modules].map(packageOf))]);

/** Names the clients of a service without a check: those left of its code, and the libraries that it uses otherwise. */
export function nameUnchecked(
  plan: Plan,
  project: Project,
  packages: ReadonlySet<string>,
  target: Target,
  clients: readonly Client[],
  left: readonly Client[],
): void {
  for (const client of left) nameClient(plan, target, client);
  const seen = new Set(clients.map(({ library }) => library));
  const around = packagesAround(project.directory);
  const owners: Owner[] = [{ folder: project.directory, packages }];
  for (const owner of owners) {
    for (const name of owner.packages) {
      const folder = around.get(name);
      if (folder === undefined || owners.some((one) => one.folder === folder)) continue;
      const manifest = readText(join(folder, 'package.json')) ?? '';
      owners.push({ folder, name, packages: new Set(dependenciesIn(manifest)) });
    }
    const own = [...owner.packages].filter((name) => libraries.has(name));
    for (const name of own) {
      const library = libraries.get(name)?.library ?? name;
      // The connection of BullMQ may be checked itself.
      const isOther = own.some((one) => isDriverOf(name, one)) || (name === 'bullmq' && seen.has('ioredis'));
      if (!seen.has(library) && !isOther) nameLibrary(plan, project, owner, name, target);
      if (!isOther) seen.add(library);
    }
  }
}

function nameLibrary(plan: Plan, project: Project, owner: Owner, name: string, target: Target): void {
  const { use, member, type, library = name } = libraries.get(name) ?? { use: 'db' };
  const place = usedIn(owner.folder, name);
  const text = (place && readText(place)) ?? '';
  const where =
    place === undefined
      ? `${name} is among the dependencies${owner.name === undefined ? '' : ` of ${owner.name}`}`
      : `${relative(project.directory, place)} uses ${name}`;
  if (library === 'redis' && isOldRedis(project))
    return plan.note(`${where}, and no check was added for it: lifesign checks redis 4 and newer`);
  const decorated = /\.decorate\(\s*['"](\w+)['"]/.exec(text)?.[1];
  const property = member ?? (target.framework === 'fastify' ? decorated : undefined);
  const usual = library === 'mongoose' && target.framework !== 'nestjs' ? 'mongoose.connection' : 'client';
  const client = property === undefined ? usual : `${target.application ?? 'app'}.${property}`;
  const token = /\bprovide\s*:\s*([\w$.]+|'[^']*'|"[^"]*")/.exec(text)?.[1];
  const injected =
    library === 'mongoose' && owner.packages.has('@nestjs/mongoose')
      ? ', @InjectConnection() client: Connection'
      : token && type && `, @Inject(${token}) client: ${type}`;
  const line = lineFor(target, use, client, injected);
  if (target.framework === 'nestjs' && use === 'db')
    return plan.note(
      `${where}: lifesign finds its client if that is a provider; otherwise write HEALTH_CHECKS: [] into the settings, and ${line}`,
    );
  const take = owner.name === undefined ? '' : `take the client from ${owner.name}, and `;
  plan.note(`${where}, and no check was added for it: ${take}write ${line}`);
}

/** Whether a package is the driver of another one, whose client is checked or named itself. */
function isDriverOf(name: string, other: string): boolean {
  const [driver, above] = [libraries.get(name), libraries.get(other)];
  if (driver?.isDriver !== true || name === other) return false;
  return other === 'bullmq' ? name === 'ioredis' : above?.isDriver !== true && above?.use === driver.use;
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
