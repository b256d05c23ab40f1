import { relative } from 'node:path';
import { version } from '../version.js';
import { type Application, frameworks, misfit, servedAmong } from './applications.js';
import { attach } from './attach.js';
import { workerLine, writeNest, writeNext, writePlugin, writeWorker } from './by-hand.js';
import { Plan } from './changes.js';
import { type Client, clientsAmong } from './clients.js';
import { changeCompose } from './compose.js';
import { filesIn, readText } from './files.js';
import { changeImage, tooOldImage } from './image.js';
import { changeManifests } from './kubernetes.js';
import { changeDependencies } from './manifest.js';
import { type Module, Modules } from './modules.js';
import { packagesBelow, type Project } from './project.js';
import { type Serving, servingOf, type Start, startsOf } from './start.js';
import { nameUnchecked, packagesOf, type Target } from './unchecked.js';

/** The findings of init, and the changes that it proposes. */
export interface Found {
  readonly plan: Plan;
  /** The service as text: `Express, in src/app.ts`. */
  readonly what: string | undefined;
  /** Whether lifesign is in the code already. */
  readonly isThere: boolean;
  readonly serving: Serving;
}

/** Packages that lifesign replaces, with the heading of docs/migrating.md for each. */
const guides: Readonly<Record<string, string>> = {
  '@nestjs/terminus': 'from-nestjsterminus',
  '@godaddy/terminus': 'from-godaddyterminus',
  lightship: 'from-lightship',
  '@fastify/under-pressure': 'from-fastifyunder-pressure',
};

/** Reads a project and plans every change. */
export function planFor(project: Project): Found {
  const plan = new Plan();
  const modules = new Modules(project);
  const files = filesIn(project.directory);
  const service = serviceOf(project, modules);
  const place = placeOfLifesign(project, files);
  if (place === undefined) {
    for (const [name, heading] of Object.entries(guides))
      if (project.dependencies.has(name))
        plan.note(`Found ${name}: docs/migrating.md#${heading} says how lifesign replaces it`);
    const tooOld = tooOldImage(project);
    if (service === undefined) plan.note(whyNothing(project));
    else if (tooOld !== undefined) plan.note(tooOld);
    else changeCode(plan, project, service, runsInContainer(files));
    // The changes of the code belong together: if one of its files must not be changed, none is.
    if (plan.changes.some(({ path }) => project.files.leaves(path))) plan.undo();
  }
  const serving = servingBy(project, service);
  if (place !== undefined || plan.changes.length > 0) {
    changeDependencies(plan, project, `^${version}`);
    changeImage(plan, project, serving);
    changeCompose(plan, project);
    changeManifests(plan, project, serving);
  }
  for (const file of modules.broken) plan.note(`${file} does not parse, and was left out`);
  for (const [path, reason] of project.files.left)
    plan.note(`${relative(project.directory, path)} ${reason}: it is left as it is`);
  const what = place === undefined ? service?.what : `lifesign, in ${place}`;
  return { plan, what, isThere: place !== undefined, serving };
}

const imported = /(?:from\s*|require\s*\(\s*|import\s*\(?\s*)['"]lifesign(?:\/[\w/-]+)?['"]/;
const started = /--import[= ](?:\S*\/)?lifesign\/(?:dist\/)?auto/;

/** The file that uses lifesign already, in code or to start the service; undefined if none does. */
function placeOfLifesign({ directory, scripts }: Project, files: readonly string[]): string | undefined {
  if (Object.values(scripts).some((script) => started.test(script))) return 'package.json';
  const found = files.find((path) => {
    const isCode = /\.[cm]?[jt]sx?$/.test(path);
    if (!isCode && !/Dockerfile|compose.*\.ya?ml$/.test(path)) return false;
    return (isCode ? imported : started).test(readText(path) ?? '');
  });
  return found && relative(directory, found);
}

/** Whether files of the project run it in a container, which ends it by SIGTERM. */
const runsInContainer = (files: readonly string[]): boolean =>
  files.some(
    (path) =>
      /(?:Dockerfile|Containerfile|compose[^/\\]*\.ya?ml)$/.test(path) ||
      (/\.ya?ml$/.test(path) && /^kind: *(?:Deployment|StatefulSet)\b/m.test(readText(path) ?? '')),
  );

/** The service that a project starts. */
interface Service {
  readonly what: string;
  readonly start: Start;
  /** The modules of the service, that which is started first. */
  readonly all: readonly Module[];
  readonly served: readonly Application[];
  /** Modules that create workers of BullMQ. */
  readonly workers: readonly Module[];
}

/** The first way to start the project that leads to an application or a worker. */
function serviceOf(project: Project, modules: Modules): Service | undefined {
  for (const start of startsOf(project)) {
    const all = start.by === 'next' ? [] : modules.from(start.file);
    const found = { start, all, served: [], workers: [] };
    if (start.by === 'next') return { ...found, what: 'Next.js' };
    const [first] = all;
    if (start.by === 'fastify-cli' && first)
      return { ...found, what: `Fastify by fastify-cli, in ${first.name}` };
    const served = servedAmong(all);
    if (served[0] !== undefined) {
      const what = `${frameworks[served[0].framework].title}, in ${served[0].module.name}`;
      return { ...found, what, served };
    }
    const workers = all.filter((module) => workerLine(module) !== undefined);
    if (workers[0] !== undefined)
      return { ...found, what: `a BullMQ worker, in ${workers[0].name}`, workers };
  }
  return undefined;
}

/** Where a service listens. */
function servingBy({ scripts }: Project, service: Service | undefined): Serving {
  if (service === undefined) return { port: undefined, isPlain: true };
  const { start, all } = service;
  if (start.by === 'next') {
    const port = /\s(?:-p|--port)[= ](\d+)/.exec(scripts['start'] ?? '')?.[1] ?? 3000;
    return { port: Number(port), isPlain: true };
  }
  // `new Health()` of lifesign/worker listens on this port.
  if (all.some((module) => module.modules.has('lifesign/worker'))) return { port: 8000, isPlain: true };
  const serving = servingOf(all);
  return start.by === 'fastify-cli' ? { ...serving, port: start.port ?? serving.port ?? 3000 } : serving;
}

/** Frameworks without an entry: `--import lifesign/auto` serves them. */
const others =
  /^(?:restify|polka|@hapi\/hapi|micro|h3|nitropack|nuxt|astro|@sveltejs\/kit|@remix-run\/node|@react-router\/node|@feathersjs\/feathers|sails|loopback|meteor-node-stubs)$/;

/** The next step for a project in which no server was found. */
function whyNothing({ dependencies, directory }: Project): string {
  if (dependencies.has('@adonisjs/core'))
    return 'AdonisJS is configured in adonisrc.ts and start/kernel.ts: docs/adonisjs.md has the two lines';
  const known = [...dependencies.keys()].find((name) => others.test(name));
  if (known !== undefined)
    return `lifesign has no entry for ${known}: start the service with node --import lifesign/auto, which needs no change of the code`;
  const below = [...packagesBelow(directory).values()].map((folder) => relative(directory, folder));
  if (below.length > 0)
    return `This is the root of a monorepo: run init in the folder of each service (${below.join(', ')})`;
  return 'No server was found: write new Health(app) after the line that creates it, see docs/getting-started.md';
}

/** Plans the change of the code, names its lines if it is left to you, and the clients without a check. */
function changeCode(
  plan: Plan,
  project: Project,
  { start, all, served, workers }: Service,
  drains: boolean,
): void {
  const clients = clientsAmong(project, all);
  const packages = packagesOf(project, all);
  const name = (target: Target, left: readonly Client[] = clients): void =>
    nameUnchecked(plan, project, packages, target, clients, left);
  const [module] = all;
  const [application, ...more] = served;
  const [worker] = workers;
  if (module === undefined) {
    writeNext(plan, project);
    return name({ framework: 'auto', place: 'register() of instrumentation.ts' });
  }
  if (start.by === 'fastify-cli')
    return name({ framework: 'fastify', application: writePlugin(plan, module), place: module.name });
  if (application === undefined) {
    for (const one of workers) writeWorker(plan, one);
    // The line of the worker has its connection.
    const others = clients.filter((client) => client.use !== 'redis' || !workers.includes(client.module));
    return name({ framework: 'worker', place: (worker ?? module).name }, others);
  }
  const { framework, reference } = application;
  const place = application.module.name;
  const wrong = misfit(project, framework);
  if (wrong !== undefined) {
    plan.note(`${wrong}: start it with node --import lifesign/auto instead`);
    return name({ framework: 'auto', place });
  }
  if (more.length > 0) {
    const places = served.map((one) => `${one.reference ?? '?'} in ${one.module.name}`);
    plan.note(
      `Several applications could be the one that serves requests (${places.join(', ')}): write new Health(app) after the right one`,
    );
    return name({ framework, place: 'the file of that application' });
  }
  if (framework === 'nestjs') {
    writeNest(plan, application, all, packages, drains);
    // It finds what its container has, so each library is named once, by the file that uses it.
    return nameUnchecked(plan, project, packages, { framework, place }, [], []);
  }
  const left = attach(plan, project, application, clients, drains);
  return name({ framework, place, application: reference, isAttached: left !== undefined }, left ?? clients);
}
