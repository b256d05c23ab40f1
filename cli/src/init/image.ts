import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plan } from './changes.js';
import { Dockerfile } from './dockerfile.js';
import { entriesOf, readText } from './files.js';
import type { Project } from './project.js';
import type { Serving } from './serving.js';
import { hasModules, type Stage, type Step, stagesOf } from './stages.js';

/** How the image asks its service for its health. */
export interface Probe {
  /** The command and its arguments; with `PORT` in the environment it needs no address. Undefined if the port is not known. */
  commandFor(hasPort: boolean): readonly string[] | undefined;
}

/** The features of an image that other files use. */
export interface Image {
  readonly probe: Probe | undefined;
  /** Whether the build takes the commit as an argument. */
  readonly takesCommit: boolean;
}

/** Dockerfiles that are not for production. */
const others = /(?:^|[./-])(?:dev|development|test|tests|e2e|ci|local|debug)(?:[./-]|$)/i;

const isDockerfile = /^(?:Dockerfile|Containerfile)(?:\.|$)|\.Dockerfile$/i;

/** The Dockerfiles of a project, the usual one first. */
function dockerfilesOf(directory: string): string[] {
  const found = ['.', 'docker', 'build', '.docker', 'deploy'].flatMap((folder) => {
    const path = join(directory, folder);
    return entriesOf(path)
      .filter(({ name }) => isDockerfile.test(name) && !name.endsWith('.dockerignore'))
      .map(({ name }) => join(path, name));
  });
  return found.filter((path) => !others.test(relative(directory, path)));
}

/** Adds the health check and the build's identity to the last stage of the Dockerfile. */
export function changeImage(plan: Plan, project: Project, serving: Serving): Image {
  const none = { probe: undefined, takesCommit: false };
  const [path, ...more] = dockerfilesOf(project.directory);
  if (path === undefined) return none;
  const nameOf = (file: string): string => relative(project.directory, file);
  if (more.length > 0)
    plan.note(
      `${more.map(nameOf).join(', ')} was left as it is: lifesign-cli doctor ${more.map(nameOf).join(' ')} says what to add`,
    );
  const text = project.files.own(path);
  if (text === undefined) return none;
  const probe = changeDockerfile(plan, project, path, text, serving);
  return { probe, takesCommit: /^\s*ARG\s+COMMIT\b/im.test(plan.of(path, text).after) };
}

function changeDockerfile(
  plan: Plan,
  project: Project,
  path: string,
  text: string,
  serving: Serving,
): Probe | undefined {
  const stages = stagesOf(text);
  const stage = stages.at(-1);
  if (stage === undefined) return undefined;
  const file = new Dockerfile(plan, project, path, text, stage);
  const modules = modulesIn(file, project, stages);
  if (typeof modules === 'string') return file.leave(modules);
  const node = file.isDistroless ? '/nodejs/bin/node' : 'node';
  const lifesign = [node, `${modules.folder}/node_modules/lifesign/dist/cli/bin.cjs`];
  addVersion(file, lifesign);
  return addHealthCheck(file, serving, probeOf(file, serving, lifesign));
}

/** The folder that has lifesign in its node_modules, or why there is none to be found. */
function modulesIn(
  { stage, text, isDistroless }: Dockerfile,
  project: Project,
  stages: readonly Stage[],
): { readonly folder: string } | string {
  const { image, folder } = stage;
  if (!isDistroless && !/(?:^|\/)node(?::|$|@)|\bnode:/.test(image))
    return `has a last stage on ${image || 'an unknown image'}: add a HEALTHCHECK with lifesign probe if it has Node`;
  if (folder === undefined)
    return 'has no absolute WORKDIR in its last stage: add a HEALTHCHECK with lifesign probe';
  if (/\/\.next\/standalone/.test(text))
    return 'copies the standalone output of Next.js, which has no lifesign in it: see docs/auto-frameworks.md';
  if (isWithoutModules(project))
    return 'installs with the archives of Yarn, which has no node_modules: add a HEALTHCHECK with yarn lifesign probe';
  const ignored = readText(join(project.directory, '.dockerignore')) ?? '';
  if (!hasModules(stages, stage, folder, !/^\/?node_modules\/?$/m.test(ignored)))
    return `has no node_modules in ${folder} of its last stage, as far as init can tell: copy node_modules/lifesign there, and add a HEALTHCHECK with lifesign probe`;
  return { folder };
}

function probeOf({ stage }: Dockerfile, serving: Serving, lifesign: readonly string[]): Probe {
  const isSet = stage.steps.some(({ name, text }) => name === 'ENV' && /(?:^|\s)PORT[= ]/.test(text));
  const port = portOf(stage) ?? serving.port;
  return {
    commandFor: (hasPort) => {
      if (hasPort || isSet || port === 8000) return [...lifesign, 'probe'];
      return port === undefined ? undefined : [...lifesign, 'probe', `http://127.0.0.1:${port}`];
    },
  };
}

/** Returns the probe for the other files that start the image; none if the service cannot be asked by it. */
function addHealthCheck(file: Dockerfile, serving: Serving, probe: Probe): Probe | undefined {
  const health = file.stage.steps.find(({ name }) => name === 'HEALTHCHECK');
  if (health !== undefined && !/lifesign/.test(health.text))
    file.leave(`has a HEALTHCHECK already: lifesign-cli doctor ${file.name} says what to change in it`);
  if (!serving.isPlain)
    return file.leave('got no HEALTHCHECK, because the service answers over TLS or HTTP/2: see docs/cli.md');
  if (health !== undefined) return probe;
  const words = probe.commandFor(false);
  if (words === undefined)
    file.leave(
      'got no HEALTHCHECK, because the port of the service was not found: add EXPOSE with it, and run init again',
    );
  else
    file.insert(
      file.end,
      [
        'HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \\',
        `    CMD [${words.map((word) => JSON.stringify(word)).join(', ')}]`,
      ],
      'asks /__lbheartbeat__ without curl in the image',
    );
  return probe;
}

/** Yarn 2 and later keep packages in archives unless they are set to write node_modules. */
function isWithoutModules({ directory }: Project): boolean {
  if (!/^__metadata:/m.test(readText(join(directory, 'yarn.lock')) ?? '')) return false;
  return !/^nodeLinker:\s*["']?(?:node-modules|pnpm)/m.test(readText(join(directory, '.yarnrc.yml')) ?? '');
}

function portOf({ steps }: Stage): number | undefined {
  const exposed = steps.filter(({ name }) => name === 'EXPOSE').flatMap(({ text }) => text.split(/\s+/));
  const [only] = exposed;
  return exposed.length === 1 && /^\d+(?:\/tcp)?$/.test(only ?? '')
    ? Number.parseInt(only ?? '', 10)
    : undefined;
}

const isRoot = ({ text }: Step): boolean => /^(?:root|0)(?::|$)/.test(text);

/** Writes version.json if the build has the commit as an argument: without it the build continues as before. */
function addVersion(file: Dockerfile, lifesign: readonly string[]): void {
  const { name, stage, end } = file;
  if (/\bversion\.json\b|lifesign\S* version/.test(file.text)) return;
  const byHand = 'with npx lifesign version --set commit="$COMMIT"';
  if (file.isDistroless)
    return file.note(
      `The last stage of ${name} has no shell: write version.json in an earlier one, ${byHand}`,
    );
  const user = stage.steps.find((step) => step.name === 'USER' && !isRoot(step));
  const copied = stage.own.findLast(
    (step) =>
      /^(?:COPY|ADD)$/.test(step.name) || (step.name === 'RUN' && /\binstall\b|\bci\b/.test(step.text)),
  );
  const userAt = user === undefined ? end : file.startOf(user);
  if (
    userAt < (copied === undefined ? 0 : file.startOf(copied)) ||
    (user !== undefined && !stage.own.includes(user))
  )
    return file.leave(`copies files after it changes the user: write version.json there, ${byHand}`);
  const write = `${lifesign.join(' ')} version --set commit="$COMMIT"`;
  file.insert(
    Math.min(userAt, end),
    ['ARG COMMIT', `RUN if [ -n "$COMMIT" ]; then ${write}; fi`],
    'version.json for /__version__, if the build gets --build-arg COMMIT=$(git rev-parse HEAD)',
  );
}

/** Keeps the host's modules and history out of the image, but never version.json. */
export function changeIgnored(plan: Plan, { directory, files }: Project): void {
  const docker = readText(join(directory, 'Dockerfile'));
  if (docker === undefined) return;
  const path = join(directory, '.dockerignore');
  const text = files.own(path);
  if (text === undefined) {
    if (files.reasonOf(path) !== undefined) return;
    const installs = /\b(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install|add)\b|\byarn(?:\s*$|\s+--)/m.test(docker);
    const copiesAll = /^\s*(?:COPY|ADD)\s+(?:--\S+\s+)*\.\s/im.test(docker);
    if (!installs || !copiesAll || /\bgit\b/.test(docker)) return;
    const lines = existsSync(join(directory, '.env')) ? 'node_modules\n.git\n.env\n' : 'node_modules\n.git\n';
    plan.of(path, undefined).insert(0, lines, 'the image installs its own modules, and needs no history');
    return;
  }
  const ignored = text
    .split(/\r?\n/)
    .some((line) => /^(?:\*\*\/|\/)?(?:version\.json|\*\.json)$/.test(line.trim()));
  if (!ignored || /^!\/?version\.json$/m.test(text)) return;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text.endsWith('\n') ? '' : newline;
  plan.of(path, text).insert(text.length, `${gap}!version.json${newline}`, '/__version__ serves this file');
}
