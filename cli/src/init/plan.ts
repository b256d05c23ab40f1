import { relative } from 'node:path';
import { version } from '../version.js';
import { type Application, servedAmong } from './applications.js';
import { attach } from './attach.js';
import { Plan } from './changes.js';
import { clientsAmong } from './clients.js';
import { changeCompose } from './compose.js';
import { type Start, startsOf } from './entry.js';
import { misfit, others, titles } from './frameworks.js';
import { changeImage } from './image.js';
import { changeManifests } from './kubernetes.js';
import { changeDependencies } from './manifest.js';
import { type Module, Modules } from './modules.js';
import { placeOfLifesign } from './present.js';
import { type Project, workspacesOf } from './project.js';
import { type Serving, servingOf } from './serving.js';
import { providesDatabase, tellHosted, tellNest, tellNext, tellWorkers, workersIn } from './told.js';
import { databases, noteClients, noteUnchecked } from './unchecked.js';

/** The findings of init, and the changes that it proposes. */
export interface Found {
  readonly plan: Plan;
  /** The service in words: `Express, in src/app.ts`. */
  readonly what: string | undefined;
  /** Whether lifesign is in the code already. */
  readonly isThere: boolean;
  readonly serving: Serving;
}

/** Packages that lifesign replaces, with the guide for each. */
const guides: Readonly<Record<string, string>> = {
  '@nestjs/terminus': 'nestjs-terminus',
  '@godaddy/terminus': 'godaddy-terminus',
  lightship: 'lightship',
  '@fastify/under-pressure': 'under-pressure',
};

/** Looks at a project and plans every change. */
export function planFor(project: Project): Found {
  const modules = new Modules(project);
  const place = placeOfLifesign(project);
  const plan = new Plan();
  let what = place && `lifesign, in ${place}`;
  const starts = startsOf(project);
  if (what === undefined) {
    for (const [name, guide] of Object.entries(guides))
      if (project.dependencies.has(name))
        plan.note(`Found ${name}: docs/migrating-from-${guide}.md says how lifesign replaces it`);
    for (const start of starts) what ??= changeStart(plan, project, modules, start);
    if (what === undefined) plan.note(whyNothing(project));
    // The changes of the code belong together: if one of its files must not be changed, none is.
    if (plan.changes.filter(({ path }) => project.files.leaves(path)).length > 0) plan.undo();
  }
  const serving = servingBy(project, modules, starts[0]);
  if (place !== undefined || plan.changes.length > 0) {
    changeDependencies(plan, project, `^${version}`);
    changeCompose(plan, project, changeImage(plan, project, serving));
    if (plan.changes.some(({ after }) => /^\s*ARG\s+COMMIT\b/m.test(after)))
      plan.note(
        'Build the image with --build-arg COMMIT=$(git rev-parse HEAD), and /__version__ says which commit runs: docs/pipelines.md',
      );
    changeManifests(plan, project, serving);
  }
  for (const file of modules.broken) plan.note(`${file} does not parse, and was left out`);
  for (const [path, reason] of project.files.left)
    plan.note(`${relative(project.directory, path)} ${reason}: it is left as it is`);
  return { plan, what, isThere: place !== undefined, serving };
}

/** Where a service listens. */
function servingBy({ scripts }: Project, modules: Modules, start: Start | undefined): Serving {
  if (start === undefined) return { port: undefined, isPlain: true };
  if (start.by === 'next') {
    const port = /\s(?:-p|--port)[= ](\d+)/.exec(scripts['start'] ?? '')?.[1] ?? 3000;
    return { port: Number(port), isPlain: true };
  }
  const all = modules.from(start.file);
  // `new Health()` of lifesign/worker listens on this port.
  if (all.some((module) => module.modules.has('lifesign/worker'))) return { port: 8000, isPlain: true };
  const serving = servingOf(all);
  return start.by === 'fastify-cli' ? { ...serving, port: start.port ?? serving.port ?? 3000 } : serving;
}

/** The next step for a project in which no server was found. */
function whyNothing({ dependencies, directory }: Project): string {
  const workspaces = workspacesOf(directory);
  if (dependencies.has('@adonisjs/core'))
    return 'AdonisJS is configured in adonisrc.ts and start/kernel.ts: docs/adonisjs.md has the two lines';
  const known = [...dependencies.keys()].find((name) => others.test(name));
  if (known !== undefined)
    return `lifesign has no entry for ${known}: start the service with node --import lifesign/auto, which needs no change of the code`;
  if (workspaces.length > 0)
    return `This is the root of a monorepo: run init in the folder of each service (${workspaces.join(', ')})`;
  return 'No server was found: write new Health(app) behind the line that creates it, see docs/getting-started.md';
}

/** Plans the change of the code, or names the lines. Returns the service in words; undefined if this way to start it leads to none. */
function changeStart(plan: Plan, project: Project, modules: Modules, start: Start): string | undefined {
  if (start.by === 'next') {
    tellNext(plan, project);
    noteUnchecked(plan, project, [], { framework: 'next' }, []);
    return 'Next.js';
  }
  const all = modules.from(start.file);
  const [first] = all;
  if (first === undefined) return undefined;
  const clients = clientsAmong(project, all);
  const libraries = clients.map(({ library }) => library);
  if (start.by === 'fastify-cli') {
    const target = { framework: 'fastify', application: tellHosted(plan, first), place: first.name } as const;
    noteClients(plan, target, clients);
    noteUnchecked(plan, project, all, target, libraries);
    return `Fastify by fastify-cli, in ${first.name}`;
  }
  const served = servedAmong(modules, all);
  const [application] = served;
  if (application === undefined) {
    const workers = all.flatMap(workersIn);
    const place = workers[0]?.module.name;
    if (place === undefined) return undefined;
    const target = { framework: 'worker', place } as const;
    tellWorkers(plan, workers, clients);
    noteClients(
      plan,
      target,
      clients.filter(({ name }) => name === undefined),
    );
    noteUnchecked(plan, project, all, target, libraries);
    return `a BullMQ worker, in ${place}`;
  }
  const { framework, module } = application;
  const wrong = misfit(project, framework);
  if (wrong !== undefined) plan.note(`${wrong}: start it with node --import lifesign/auto instead`);
  else if (served.length > 1) {
    const places = served.map((one) => `${one.reference ?? '?'} in ${one.module.name}`);
    plan.note(
      `Several applications could be the one that serves requests (${places.join(', ')}): write new Health(app) behind the right one`,
    );
  } else attachTo(plan, project, modules, application, all);
  return `${titles[framework]}, in ${module.name}`;
}

/** Adds Health to the application that serves the requests, with the clients that its line can refer to; names the others. */
function attachTo(
  plan: Plan,
  project: Project,
  modules: Modules,
  application: Application,
  all: readonly Module[],
): void {
  const { framework, module, reference } = application;
  const target = { framework, place: module.name, application: reference };
  const clients = clientsAmong(project, all);
  if (framework === 'nestjs') {
    // It finds its databases in the container.
    const hasDatabase = providesDatabase(all, clients);
    tellNest(plan, project, modules, application, all, hasDatabase);
    return noteUnchecked(plan, project, all, target, hasDatabase ? databases : []);
  }
  const left = attach(plan, project, modules, application, clients);
  if (left === undefined) return;
  const attached = { ...target, isAttached: true };
  noteClients(plan, attached, left);
  noteUnchecked(
    plan,
    project,
    all,
    attached,
    clients.map(({ library }) => library),
  );
}
