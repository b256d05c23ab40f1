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
  readonly framework: Framework | 'next' | 'worker';
  /** The name of the application, and the module that Health is created in. */
  readonly application?: string | undefined;
  readonly place?: string;
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

/** The line that adds the check of a client; `injected` is how the container of NestJS provides it. */
function lineFor(target: Target, use: Use, client: string, injected = ''): string {
  const { framework, application = 'app', place = 'the module of the application' } = target;
  const [name, factory] = checks[use];
  const check = `health.check('${name}', checks.${factory}(${client}))`;
  if (framework === 'nestjs')
    return `constructor(@Inject(Health) health: Health${injected}) { ${check}; } in the root module, with checks and Health of lifesign/nestjs`;
  // A plugin has its client when all plugins are loaded.
  if (framework === 'fastify' && client.startsWith(`${application}.`))
    return `const health = new Health(${application}); ${application}.addHook('onReady', async () => void ${check}); in ${place}, with checks of lifesign/fastify`;
  const isOption = use === 'db' || use === 'redis';
  if (framework === 'next')
    return isOption
      ? `watch({ ${use}: ${client} }); in register() of instrumentation.ts, with watch of lifesign/auto`
      : `a check with checks.${factory}(${client}) in the file that HEALTH_CONFIG names, see docs/auto.md#checks`;
  if (target.isAttached === true)
    return isOption
      ? `${use}: ${client} into the options of Health in ${place}`
      : `const health = before its new Health in ${place}, and ${check} after it, with checks of lifesign/${framework}`;
  const args = framework === 'worker' ? [] : [application];
  return isOption
    ? `new Health(${[...args, `{ ${use}: ${client} }`].join(', ')}); in ${place}`
    : `const health = new Health(${args.join()}); ${check}; in ${place}, with checks of lifesign/${framework}`;
}

/** Names clients that the code shows and the line of Health cannot refer to. */
export function nameClients(plan: Plan, target: Target, clients: readonly Client[]): void {
  for (const { module, line, name, library, use } of clients) {
    const client = library === 'mongoose' ? 'mongoose.connection' : (name ?? 'client');
    const take = module.name === target.place ? '' : `take it from ${module.name}, and `;
    plan.note(
      `${module.name}:${line} creates ${name ?? 'a client'} of ${library}, and no check was added for it: ${take}write ${lineFor(target, use, client)}`,
    );
  }
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

/** Names the libraries that a service uses and that no check was added for; `known` are those of clients that were checked or named. */
export function nameUnchecked(
  plan: Plan,
  project: Project,
  packages: ReadonlySet<string>,
  target: Target,
  known: readonly string[],
): void {
  const seen = new Set(known);
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
  const client = property === undefined ? 'client' : `${target.application ?? 'app'}.${property}`;
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
