import { join } from 'node:path';
import { instructionsOf, type Stage, stagesOf, within } from '../dockerfile.js';
import type { Plan } from './changes.js';
import { entriesOf, readText } from './files.js';
import type { Project } from './project.js';
import type { Serving } from './serving.js';

/** Dockerfiles that are not for production. */
const others = /(?:^|[./-])(?:dev|development|test|tests|e2e|ci|local|debug)(?:[./-]|$)/i;

const isDockerfile = /^(?:Dockerfile|Containerfile)(?:\.(?!dockerignore$)|$)|\.Dockerfile$/i;

/** The Dockerfiles of a project, the usual one first. */
function dockerfilesOf(directory: string): string[] {
  const found = ['.', 'docker', 'build', '.docker', 'deploy'].flatMap((folder) =>
    entriesOf(join(directory, folder)).map(({ name }) => join(folder, name)),
  );
  return found.filter((name) => isDockerfile.test(name.replace(/^.*[/\\]/, '')) && !others.test(name));
}

/** The Dockerfile that is changed, for its last stage. */
interface File {
  readonly stage: Stage;
  readonly text: string;
  /** The command of lifesign in the image. */
  readonly lifesign: readonly string[];
  /** Says why it does not get all that it could. */
  readonly leave: (why: string) => void;
  /** Puts lines before a line, or before the command that runs the service. */
  readonly insert: (line: number, added: string, reason: string) => void;
}

/** Adds the health check and the build's identity to the last stage of the Dockerfile. Returns the command that asks the service on `PORT`; none if the image has none. */
export function changeImage(plan: Plan, project: Project, serving: Serving): readonly string[] | undefined {
  const [name, ...more] = dockerfilesOf(project.directory);
  if (name === undefined) return undefined;
  if (more.length > 0)
    plan.note(`${more.join(', ')} was left as it is: lifesign-cli doctor ${more.join(' ')} says what to add`);
  const path = join(project.directory, name);
  const text = project.files.own(path);
  const stages = stagesOf(instructionsOf(text ?? ''));
  const stage = stages.at(-1);
  if (text === undefined || stage === undefined) return undefined;
  const leave: File['leave'] = (why) => plan.note(`${name} ${why}`);
  const insert: File['insert'] = (line, added, reason) => {
    const command = stage.own.find((step) => step.name === 'CMD' || step.name === 'ENTRYPOINT');
    const next = Math.min(line, command?.line ?? Infinity);
    const before = text.split('\n').slice(0, next - 1);
    const at = next === Infinity ? text.length : before.join('\n').length + Math.min(before.length, 1);
    // The last line may have no end.
    const gap = at > 0 && text[at - 1] !== '\n' ? '\n' : '';
    plan.of(path, text).insert(at, `${gap}${added}\n`, reason);
  };
  const why = whyWithoutModules(project, stages, stage, text);
  if (why !== undefined) {
    leave(why);
    return undefined;
  }
  const node = /distroless\/nodejs/.test(stage.image) ? '/nodejs/bin/node' : 'node';
  const lifesign = [node, `${stage.folder}/node_modules/lifesign/dist/cli/bin.cjs`];
  const file = { stage, text, lifesign, leave, insert };
  addVersion(file);
  return addHealthCheck(file, name, serving);
}

/** Writes version.json if the build has the commit as an argument: without it the build continues as before. */
function addVersion({ stage, text, lifesign, leave, insert }: File): void {
  if (/\bversion\.json\b|lifesign\S* version/.test(text)) return;
  const line = lineForVersion(stage);
  if (line === undefined)
    leave(
      'has a last stage in which init finds no place for version.json: write it with npx lifesign version --set commit="$COMMIT" where a shell runs as root',
    );
  else
    insert(
      line,
      `ARG COMMIT\nRUN if [ -n "$COMMIT" ]; then ${lifesign.join(' ')} version --set commit="$COMMIT"; fi`,
      'version.json for /__version__, if the build gets --build-arg COMMIT=$(git rev-parse HEAD)',
    );
}

function addHealthCheck(
  { stage, lifesign, leave, insert }: File,
  name: string,
  { port, isPlain }: Serving,
): readonly string[] | undefined {
  const probe = [...lifesign, 'probe'];
  const health = stage.steps.find((step) => step.name === 'HEALTHCHECK');
  const address = addressOf(stage, port);
  if (health !== undefined && !/lifesign/.test(health.text))
    leave(`has a HEALTHCHECK already: lifesign-cli doctor ${name} says what to change in it`);
  if (!isPlain) leave('got no HEALTHCHECK, because the service answers over TLS or HTTP/2: see docs/cli.md');
  else if (health === undefined && address === undefined)
    leave(
      'got no HEALTHCHECK, because the port of the service was not found: add EXPOSE with it, and run init again',
    );
  else if (health === undefined) {
    const words = [...probe, ...(address ?? [])].map((word) => JSON.stringify(word)).join(', ');
    insert(
      Infinity,
      `HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \\\n    CMD [${words}]`,
      'asks /__lbheartbeat__ without curl in the image',
    );
  }
  return isPlain ? probe : undefined;
}

/** Why lifesign is in no folder of the image that is known; undefined if it is in its WORKDIR. */
function whyWithoutModules(
  { directory }: Project,
  stages: readonly Stage[],
  stage: Stage,
  text: string,
): string | undefined {
  const { image, folder } = stage;
  if (!/distroless\/nodejs|(?:^|\/)node(?::|$|@)|\bnode:/.test(image))
    return `has a last stage on ${image || 'an unknown image'}: add a HEALTHCHECK with lifesign probe if it has Node`;
  if (folder === undefined)
    return 'has no absolute WORKDIR in its last stage: add a HEALTHCHECK with lifesign probe';
  if (/\/\.next\/standalone/.test(text))
    return 'copies the standalone output of Next.js, which has no lifesign in it: see docs/auto.md';
  // Yarn 2 and later keep packages in archives unless they are set to write node_modules.
  const isBerry = /^__metadata:/m.test(readText(join(directory, 'yarn.lock')) ?? '');
  const linker = /^nodeLinker:\s*["']?(?:node-modules|pnpm)/m;
  if (isBerry && !linker.test(readText(join(directory, '.yarnrc.yml')) ?? ''))
    return 'installs with the archives of Yarn, which has no node_modules: add a HEALTHCHECK with yarn lifesign probe';
  return hasModules(stages, stage, folder)
    ? undefined
    : `has no node_modules in ${folder} of its last stage, as far as init can tell: copy node_modules/lifesign there, and add a HEALTHCHECK with lifesign probe`;
}

const installs =
  /(?:^|&&|;|\s)(?:npm\s+(?:ci|i|install|clean-install)|(?:pnpm|bun)\s+(?:ci|i|install)|yarn(?:\s+install|\s+workspaces\s+focus|\s*(?=$|&&|;|--)))(?![^&;]*\s(?:-g|--global)\b)/;

/** Whether a folder of a stage has the modules of the service: they are installed there, or copied as a whole. */
function hasModules(stages: readonly Stage[], stage: Stage, folder: string, depth = 0): boolean {
  return stage.steps.some((step) => {
    if (step.name === 'RUN')
      return step.folder === folder && installs.test(step.text) && !/(?:^|[\s;&])cd\s/.test(step.text);
    if (step.name !== 'COPY' || step.from === undefined || depth > 10) return false;
    const words = step.text.replace(/^(?:--\S+\s+)*/, '').match(/[^\s,"[\]]+/g) ?? [];
    const target = within(step.folder, words.at(-1) ?? '$');
    const source = stages.find(({ name }, index) => name === step.from || String(index) === step.from);
    return words.slice(0, -1).some((path) => {
      if (/(?:^|\/)node_modules\/?$/.test(path)) return target === `${folder}/node_modules`;
      const place = within('/', path);
      const isWhole = target === folder && source !== undefined && place !== undefined;
      return isWhole && hasModules(stages, source, place, depth + 1);
    });
  });
}

/** The address to ask: none on the port of `PORT`. Undefined if the port is not known. */
function addressOf({ steps }: Stage, usual: number | undefined): readonly string[] | undefined {
  if (steps.some(({ name, assignments }) => name === 'ENV' && assignments.some(([key]) => key === 'PORT')))
    return [];
  const exposed = steps.filter(({ name }) => name === 'EXPOSE').flatMap(({ text }) => text.split(/\s+/));
  const only = exposed.length === 1 ? /^(\d+)(?:\/tcp)?$/.exec(exposed[0] ?? '')?.[1] : undefined;
  const port = only === undefined ? usual : Number(only);
  if (port === undefined) return undefined;
  return port === 8000 ? [] : [`http://127.0.0.1:${port}`];
}

/** The line before which a shell can write version.json as root, with the modules in place: that of USER, or Infinity for the end. */
function lineForVersion({ image, steps, own }: Stage): number | undefined {
  const user = steps.find(({ name, text }) => name === 'USER' && !/^(?:root|0)(?::|$)/.test(text));
  const copied = own.findLast(
    ({ name, text }) => /^(?:COPY|ADD)$/.test(name) || (name === 'RUN' && /\binstall\b|\bci\b/.test(text)),
  );
  if (/distroless/.test(image) || (user !== undefined && !own.includes(user))) return undefined;
  return user === undefined ? Infinity : user.line > (copied?.line ?? 0) ? user.line : undefined;
}
