import { servedAmong } from '../applications.js';
import { Plan } from '../changes.js';
import { clientsAmong } from '../clients.js';
import { type Serving, servingOf, unknownServing } from '../serving.js';
import { startsOf } from '../entry.js';
import type { Module, Modules } from '../modules.js';
import { filesIn } from '../present.js';
import { readText } from '../files.js';
import type { Project } from '../project.js';
import type { Client } from '../clients.js';
import { migrateGodaddyTerminus } from './godaddy-terminus.js';
import { migrateLightship } from './lightship.js';
import type { Migrate, Old } from './migration.js';
import { migrateNestTerminus } from './nest-terminus.js';
import { migrateUnderPressure } from './under-pressure.js';

interface Migration {
  readonly packages: readonly string[];
  readonly guide: string;
  readonly migrate: Migrate;
}

/** The values of `--from`. */
export const migrations: Readonly<Record<string, Migration>> = {
  terminus: {
    packages: ['@nestjs/terminus'],
    guide: 'docs/migrating-from-nestjs-terminus.md',
    migrate: migrateNestTerminus,
  },
  'godaddy-terminus': {
    packages: ['@godaddy/terminus'],
    guide: 'docs/migrating-from-godaddy-terminus.md',
    migrate: migrateGodaddyTerminus,
  },
  lightship: {
    packages: ['lightship'],
    guide: 'docs/migrating-from-lightship.md',
    migrate: migrateLightship,
  },
  'under-pressure': {
    packages: ['@fastify/under-pressure', 'under-pressure'],
    guide: 'docs/migrating-from-under-pressure.md',
    migrate: migrateUnderPressure,
  },
};

/** The migrations that a project could use, by its package.json. */
export const migrationsFor = ({ dependencies }: Project): [from: string, name: string][] =>
  Object.entries(migrations).flatMap(([from, { packages }]) =>
    packages.filter((name) => dependencies.has(name)).map((name): [string, string] => [from, name]),
  );

/** The changes and findings of a migration. */
export interface Migrated {
  readonly plan: Plan;
  readonly what: string | undefined;
  readonly serving: Serving;
  readonly clients: readonly Client[];
  /** Packages that nothing uses any more. */
  readonly unused: ReadonlySet<string>;
}

/** Replaces a package by lifesign; a migration that is not sure changes nothing. */
export function migrate(project: Project, modules: Modules, from: string): Migrated {
  const plan = new Plan();
  const { packages = [], guide = '', migrate: change } = migrations[from] ?? {};
  const users = usersOf(project, modules, packages);
  const { application, applications, all } = applicationOf(project, modules);
  const { named: clients } = clientsAmong(all);
  const leave: Old['leave'] = (module, node, what) => {
    const line = node?.loc?.start.line;
    plan.note(`${module.name}${line === undefined ? '' : `:${line}`}: ${what} (${guide})`);
  };
  const isUsed = users.some(({ isTest }) => !isTest);
  if (!isUsed) plan.note(`No file imports ${packages.join(' or ')}`);
  const sources = users.filter(({ isTest }) => !isTest).map(({ module }) => module);
  const old = {
    plan,
    project,
    modules,
    packages,
    users: sources,
    application,
    applications,
    all,
    clients,
    leave,
  };
  const isDone = isUsed && change?.(old) === true;
  const unchanged = {
    plan: plan.unchanged,
    what: undefined,
    clients,
    serving: unknownServing,
    unused: new Set<string>(),
  };
  if (!isDone) return unchanged;
  const unused = unusedAfter(project, plan, packages);
  for (const { path, line, name } of unused.places)
    plan.note(`${modules.nameOf(path)}:${line} still uses ${name}: it stays in package.json (${guide})`);
  const places = plan.changes.map(({ path }) => modules.nameOf(path)).join(', ');
  return {
    plan,
    what: `${packages[0] ?? ''}, in ${places}`,
    serving: servingOf(all),
    clients,
    unused: new Set(unused.names),
  };
}

const isCode = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path);

const mentions = (text: string, names: readonly string[]): boolean =>
  names.some((name) => new RegExp(`['"\`]${name}(?:/[^'"\`]*)?['"\`]`).test(text));

/** The modules that import a package; those of tests are left alone. */
function usersOf(
  { directory }: Project,
  modules: Modules,
  packages: readonly string[],
): { readonly module: Module; readonly isTest: boolean }[] {
  const found = [];
  for (const path of filesIn(directory)) {
    if (!isCode(path) || !mentions(readText(path) ?? '', packages)) continue;
    const module = modules.at(path);
    const isTest = /(?:^|\/)(?:tests?|__tests__|e2e|spec)\/|\.(?:test|spec|e2e-spec)\.\w+$/.test(
      modules.nameOf(path),
    );
    if (module !== undefined) found.push({ module, isTest });
  }
  return found;
}

interface Left {
  /** The packages that no file names any more, once the changes are made. */
  readonly names: readonly string[];
  /** The first line of each file that names another one. */
  readonly places: readonly { readonly path: string; readonly line: number; readonly name: string }[];
}

function unusedAfter({ directory, dependencies }: Project, plan: Plan, packages: readonly string[]): Left {
  const changed = new Map(plan.changes.map(({ path, after }) => [path, after]));
  const places: Left['places'][number][] = [];
  for (const path of filesIn(directory)) {
    const isRead = isCode(path) || path.endsWith('.json');
    if (!isRead || /(?:package|package-lock|npm-shrinkwrap)\.json$/.test(path)) continue;
    const lines = (changed.get(path) ?? readText(path) ?? '').split('\n');
    for (const name of packages) {
      const at = lines.findIndex((line) => mentions(line, [name]));
      if (at >= 0) places.push({ path, line: at + 1, name });
    }
  }
  const names = packages.filter(
    (name) => dependencies.has(name) && !places.some((place) => place.name === name),
  );
  return { names, places };
}

function applicationOf(
  project: Project,
  modules: Modules,
): Pick<Old, 'application' | 'applications' | 'all'> {
  let first: readonly Module[] | undefined;
  for (const start of startsOf(project)) {
    if (start.by !== 'file') continue;
    const all = modules.from(start.file);
    first ??= all;
    const applications = servedAmong(modules, all);
    const [application] = applications;
    if (application === undefined) continue;
    return { application: applications.length === 1 ? application : undefined, applications, all };
  }
  return { application: undefined, applications: [], all: first ?? [] };
}
