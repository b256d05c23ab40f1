import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../version.js';
import { portIn, servedAmong } from './applications.js';
import { attach } from './attach.js';
import { Plan } from './changes.js';
import { type Client, clientsIn } from './clients.js';
import { type Start, startsOf } from './entry.js';
import { misfit, others, titles } from './frameworks.js';
import { attachFastifyCli, startOfNext } from './hosted.js';
import { changeIgnored, changeImage } from './image.js';
import { changeManifests } from './kubernetes.js';
import { migrate, migrationsFor } from './from/migrate.js';
import { changeDependencies, changeScript } from './manifest.js';
import { Modules } from './modules.js';
import { placeOfLifesign } from './present.js';
import { attachNest } from './nest.js';
import type { Project } from './project.js';
import { attachWorker, workersIn } from './workers.js';
import { lineBehind, styleOf } from './writing.js';

/** The findings of init, and the changes that it proposes. */
export interface Found {
  readonly plan: Plan;
  /** The service in words: `Express, in src/app.ts`. */
  readonly what: string | undefined;
  /** Whether lifesign is in the code already. */
  readonly isThere: boolean;
  readonly port: number | undefined;
}

/** Looks at a project and plans every change; `from` is the package that lifesign replaces. */
export function planFor(project: Project, from?: string): Found {
  const modules = new Modules(project);
  const { plan, unused, ...code } = codeOf(project, modules, from);
  if (code.what !== undefined && (code.isThere || plan.changes.length > 0)) {
    changeDependencies(plan, project, `^${version}`, unused);
    changeImage(plan, project, code.port);
    changeIgnored(plan, project);
    changeManifests(plan, project);
    advise(plan, project);
  }
  for (const file of modules.broken) plan.note(`${file} does not parse, and was left out`);
  return { plan, ...code };
}

type Code = Omit<Found, 'plan'>;

function codeOf(
  project: Project,
  modules: Modules,
  from: string | undefined,
): Found & { readonly unused: ReadonlySet<string> } {
  const place = project.dependencies.has('lifesign') ? placeOfLifesign(project) : undefined;
  const plan = new Plan();
  const unused = new Set<string>();
  if (place !== undefined)
    return { plan, unused, what: `lifesign, in ${place}`, isThere: true, port: undefined };
  if (from !== undefined) {
    const { clients, ...migrated } = migrate(project, modules, from);
    if (migrated.what !== undefined) addListeners(migrated.plan, clients);
    return { ...migrated, isThere: false };
  }
  for (const [name, old] of migrationsFor(project))
    plan.note(`Found ${old}: add --from ${name}, and lifesign replaces it`);
  return { plan, unused, ...changeCode(plan, project, modules) };
}

function changeCode(plan: Plan, project: Project, modules: Modules): Code {
  const starts = startsOf(project);
  for (const start of starts) {
    const found = changeStart(plan, project, modules, start);
    if (found !== undefined) return found;
  }
  if (project.dependencies.has('@adonisjs/core')) {
    plan.note(
      'AdonisJS is configured in adonisrc.ts and start/kernel.ts: docs/adonisjs.md has the two lines',
    );
    return { what: undefined, isThere: false, port: undefined };
  }
  const known = others.find((name) => project.dependencies.has(name));
  if (known !== undefined) {
    plan.note(
      `lifesign has no entry for ${known}: start the service with node --import lifesign/auto, which needs no change of the code`,
    );
  } else if (project.workspaces.length > 0) {
    plan.note(
      `This is the root of a monorepo: run init in the folder of each service (${project.workspaces.join(', ')})`,
    );
  } else {
    plan.note(
      'No server was found: write new Health(app) behind the line that creates it, see docs/getting-started.md',
    );
  }
  return { what: undefined, isThere: false, port: undefined };
}

function changeStart(plan: Plan, project: Project, modules: Modules, start: Start): Code | undefined {
  if (start.by === 'next') return changeNext(plan, project);
  const all = modules.from(start.file);
  const [first] = all;
  if (first === undefined) return undefined;
  const port = portIn(all);
  if (start.by === 'fastify-cli') {
    const what = attachFastifyCli(plan, project, first)
      ? `Fastify by fastify-cli, in ${first.name}`
      : undefined;
    return { what, isThere: false, port: port ?? 3000 };
  }
  const clients = all.flatMap(clientsIn);
  const served = servedAmong(modules, all);
  const [application] = served;
  if (application === undefined) {
    const workers = all.flatMap(workersIn);
    if (workers.length === 0) return undefined;
    addListeners(plan, clients);
    return attachWorker(plan, project, workers, clients)
      ? { what: `a BullMQ worker, in ${workers[0]?.module.name}`, isThere: false, port: 8000 }
      : undefined;
  }
  const what = `${titles[application.framework]}, in ${application.module.name}`;
  const wrong = misfit(project, application.framework);
  if (wrong !== undefined) plan.note(`${wrong}: start it with node --import lifesign/auto instead`);
  else if (served.length > 1) {
    const places = served.map(({ module, reference = '?' }) => `${reference} in ${module.name}`);
    plan.note(
      `Several applications could be the one that serves requests (${places.join(', ')}): write new Health(app) behind the right one`,
    );
  } else {
    const isDone =
      application.framework === 'nestjs'
        ? attachNest(plan, modules, application, all)
        : attach(plan, project, modules, application, clients);
    if (isDone) addListeners(plan, clients);
  }
  return { what, isThere: false, port };
}

function changeNext(plan: Plan, project: Project): Code {
  const script = startOfNext(project.scripts['start'] ?? '');
  if (script === undefined) {
    plan.note(
      'Next.js is not started by next start: add --import lifesign/auto to the line that starts it, see docs/auto-frameworks.md',
    );
  } else {
    const reason = 'lifesign/auto serves the endpoints before Next.js, without a change of the code';
    changeScript(plan, project, 'start', script, reason);
  }
  return { what: 'Next.js', isThere: false, port: 3000 };
}

/** Compose files and pipelines are not changed: which service and which job are meant is yours to say. */
function advise(plan: Plan, { directory }: Project): void {
  const compose = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'].find((name) =>
    existsSync(join(directory, name)),
  );
  if (compose !== undefined)
    plan.note(`lifesign-cli doctor ${compose} says what its healthcheck and stop_grace_period need`);
  if (existsSync(join(directory, '.github/workflows')))
    plan.note('Steps of doctor, wait and verify for your workflow: docs/pipelines.md');
}

/** A pool without a listener for `error` ends the process when an idle connection breaks. */
function addListeners(plan: Plan, clients: readonly Client[]): void {
  for (const { needsListener, module, statement, name, library } of clients) {
    if (!needsListener) continue;
    const { quote, semicolon } = styleOf(module);
    const { at, text } = lineBehind(
      module,
      statement,
      `${name}.on(${quote}error${quote}, (error) => console.error(error.message))${semicolon}`,
    );
    plan
      .of(module.path, module.text)
      .insertFirst(at, text, `without it a broken idle connection of ${library} ends the process`);
  }
}
