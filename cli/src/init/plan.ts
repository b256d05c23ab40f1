import { version } from '../version.js';
import { type Application, servedAmong } from './applications.js';
import { attach } from './attach.js';
import { Plan } from './changes.js';
import { type Client, clientsAmong } from './clients.js';
import { changeCompose } from './compose.js';
import { type Start, startsOf } from './entry.js';
import { misfit, others, titles } from './frameworks.js';
import { changeIgnored, changeImage } from './image.js';
import { changeManifests } from './kubernetes.js';
import { changeDependencies } from './manifest.js';
import { type Module, Modules } from './modules.js';
import { placeOfLifesign } from './present.js';
import { changeNext, servingOfNext } from './next.js';
import { noteHidden } from './options.js';
import { majorOf, type Project } from './project.js';
import { type Serving, servingOf, unknownServing } from './serving.js';
import { noteUnchecked } from './unchecked.js';
import { databasesOfNest, tellHosted, tellListeners, tellNest, tellWorkers, workersIn } from './told.js';

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
  const code = codeOf(project, modules);
  const plan = changeable(code.plan, project);
  if (code.what !== undefined && (code.isThere || plan.changes.length > 0)) {
    changeDependencies(plan, project, `^${version}`);
    const image = changeImage(plan, project, code.serving);
    changeCompose(plan, project, image.probe);
    if (image.takesCommit)
      plan.note(
        'Build the image with --build-arg COMMIT=$(git rev-parse HEAD), and /__version__ says which commit runs: docs/pipelines.md',
      );
    changeIgnored(plan, project);
    changeManifests(plan, project, code.serving);
  }
  for (const file of modules.broken) plan.note(`${file} does not parse, and was left out`);
  for (const left of project.files.left) plan.note(`${left}: it is left as it is`);
  return { ...code, plan };
}

/** The changes of the code belong together: if one of its files must not be changed, none is. */
function changeable(plan: Plan, { files }: Project): Plan {
  return plan.changes.filter(({ path }) => files.leaves(path)).length === 0 ? plan : plan.unchanged;
}

type Code = Omit<Found, 'plan'>;

/** `new Health()` of lifesign/worker listens on this port. */
const workerServing: Serving = { port: 8000, isPlain: true };

/** Where a service that has lifesign listens: found as in one that has not. */
function presentServing(project: Project, modules: Modules): Serving {
  const [start] = startsOf(project);
  if (start === undefined) return unknownServing;
  if (start.by === 'next') return servingOfNext(project);
  const all = modules.from(start.file);
  return all.some((module) => module.modules.has('lifesign/worker')) ? workerServing : servingOf(all);
}

function codeOf(project: Project, modules: Modules): Found {
  const place = placeOfLifesign(project);
  const plan = new Plan();
  if (place !== undefined)
    return {
      plan,
      what: `lifesign, in ${place}`,
      isThere: true,
      serving: presentServing(project, modules),
    };
  for (const [name, guide] of Object.entries(guides))
    if (project.dependencies.has(name))
      plan.note(`Found ${name}: docs/migrating-from-${guide}.md says how lifesign replaces it`);
  return { plan, ...changeCode(plan, project, modules) };
}

function changeCode(plan: Plan, project: Project, modules: Modules): Code {
  for (const start of startsOf(project)) {
    const found = changeStart(plan, project, modules, start);
    if (found !== undefined) return found;
  }
  plan.note(whyNothing(project));
  return { what: undefined, isThere: false, serving: unknownServing };
}

/** The next step for a project in which no server was found. */
function whyNothing({ dependencies, workspaces }: Project): string {
  if (dependencies.has('@adonisjs/core'))
    return 'AdonisJS is configured in adonisrc.ts and start/kernel.ts: docs/adonisjs.md has the two lines';
  const known = [...dependencies.keys()].find((name) => others.test(name));
  if (known !== undefined)
    return `lifesign has no entry for ${known}: start the service with node --import lifesign/auto, which needs no change of the code`;
  if (workspaces.length > 0)
    return `This is the root of a monorepo: run init in the folder of each service (${workspaces.join(', ')})`;
  return 'No server was found: write new Health(app) behind the line that creates it, see docs/getting-started.md';
}

function changeStart(plan: Plan, project: Project, modules: Modules, start: Start): Code | undefined {
  if (start.by === 'next') {
    noteUnchecked(plan, project, [], { framework: 'next' }, []);
    changeNext(plan, project);
    return { what: 'Next.js', isThere: false, serving: servingOfNext(project) };
  }
  const all = modules.from(start.file);
  const [first] = all;
  if (first === undefined) return undefined;
  const serving = servingOf(all);
  const { named, hidden } = clientsAmong(all);
  const libraries = [...named, ...hidden].map(({ library }) => library);
  if (start.by === 'fastify-cli') {
    const application = tellHosted(plan, first);
    const outer = named.filter(({ isInner }) => !isInner);
    noteHidden(plan, [
      ...hidden,
      ...outer.map((client) => ({ ...client, line: client.statement.loc?.start.line ?? 1 })),
    ]);
    noteUnchecked(plan, project, all, { framework: 'fastify', application, place: first.name }, libraries);
    return {
      what: `Fastify by fastify-cli, in ${first.name}`,
      isThere: false,
      serving: { ...serving, port: start.port ?? serving.port ?? 3000 },
    };
  }
  const served = servedAmong(modules, all);
  const [application] = served;
  if (application === undefined) {
    const workers = all.flatMap(workersIn);
    const [worker] = workers;
    if (worker === undefined) return undefined;
    const clients = named.filter((client) => isUsable(plan, project, client));
    tellWorkers(plan, workers, clients);
    tellListeners(plan, clients);
    noteHidden(plan, hidden);
    noteUnchecked(plan, project, all, { framework: 'worker', place: worker.module.name }, libraries);
    return { what: `a BullMQ worker, in ${worker.module.name}`, isThere: false, serving: workerServing };
  }
  const what = `${titles[application.framework]}, in ${application.module.name}`;
  const wrong = misfit(project, application.framework);
  if (wrong !== undefined) plan.note(`${wrong}: start it with node --import lifesign/auto instead`);
  else if (served.length > 1) {
    const places = served.map(({ module, reference = '?' }) => `${reference} in ${module.name}`);
    plan.note(
      `Several applications could be the one that serves requests (${places.join(', ')}): write new Health(app) behind the right one`,
    );
  } else attachTo(plan, project, modules, application, all);
  return { what, isThere: false, serving };
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
  const { named, hidden } = clientsAmong(all);
  const clients = named.filter((client) => isUsable(plan, project, client));
  // NestJS finds its databases in the container.
  const isNest = framework === 'nestjs';
  const every = [...named, ...hidden];
  const known = isNest ? databasesOfNest(all, every) : every.map(({ library }) => library);
  if (isNest) tellNest(plan, project, modules, application, all, known.length > 0);
  else {
    noteHidden(plan, hidden);
    if (!attach(plan, project, modules, application, clients)) return;
  }
  tellListeners(plan, clients);
  const name = reference === undefined ? {} : { application: reference };
  noteUnchecked(plan, project, all, { framework, place: module.name, ...name }, known);
}

/** Names a client whose major has no promises. */
function isUsable(plan: Plan, project: Project, { library, module }: Client): boolean {
  const major = library === 'redis' ? majorOf(project, library) : undefined;
  if (major === undefined || major >= 4) return true;
  plan.note(`${module.name} uses redis ${major}, and lifesign checks redis 4 and newer: it is left out`);
  return false;
}
