import { join } from 'node:path';
import { instructionsOf, type Stage, stagesOf } from '../dockerfile.js';
import type { Plan } from './changes.js';
import { entriesOf, readText } from './files.js';
import type { Project } from './project.js';
import type { Serving } from './start.js';

/** Dockerfiles that are not for production. */
const others = /(?:^|[./-])(?:dev|development|devcontainer|gitpod|test|tests|e2e|ci|local|debug)(?:[./-]|$)/i;
const isDockerfile = /^(?:Dockerfile|Containerfile)(?:\.(?!dockerignore$)|$)|\.Dockerfile$/i;
const isUsual = /(?:^|[/\\])(?:Dockerfile|Containerfile)$/i;

/** The Dockerfiles of a project, the usual one first. */
function dockerfilesOf(directory: string): string[] {
  const found = ['.', 'docker', 'build', '.docker', 'deploy'].flatMap((folder) =>
    entriesOf(join(directory, folder)).map(({ name }) => join(folder, name)),
  );
  const files = found.filter((name) => isDockerfile.test(name.replace(/^.*[/\\]/, '')) && !others.test(name));
  return files.toSorted((one, other) => Number(isUsual.test(other)) - Number(isUsual.test(one)));
}

const lastStageIn = (text: string): Stage | undefined => stagesOf(instructionsOf(text)).at(-1);

/** Why lifesign does not run in the image of a project: its Node is too old; undefined if it may. */
export function tooOldImage({ directory }: Project): string | undefined {
  const [name] = dockerfilesOf(directory);
  const image = lastStageIn((name && readText(join(directory, name))) ?? '')?.image ?? '';
  const major = /^(?:.*\/)?node:v?(\d+)/.exec(image)?.[1];
  return major !== undefined && Number(major) < 20
    ? `${name} runs ${image}, and lifesign needs Node 20.19 or newer: raise it, then run init again`
    : undefined;
}

/** Adds a health check and the build's identity to the last stage of the Dockerfile. */
export function changeImage(plan: Plan, project: Project, { port, isPlain }: Serving): void {
  const [name, ...more] = dockerfilesOf(project.directory);
  if (name === undefined) return;
  if (more.length > 0)
    plan.note(`${more.join(', ')} was left as it is: lifesign-cli doctor ${more.join(' ')} says what to add`);
  const path = join(project.directory, name);
  const text = project.files.own(path);
  const stage = lastStageIn(text ?? '');
  if (text === undefined || stage === undefined) return;
  const leave = (why: string): void => plan.note(`${name} ${why}`);
  if (!/distroless\/nodejs|(?:^|\/)node(?::|$|@)|\bnode:/.test(stage.image))
    return leave(
      `has a last stage on ${stage.image || 'an unknown image'}: add a HEALTHCHECK with lifesign probe if it has Node`,
    );

  const insert = (line: number, added: string, reason: string): void => {
    const at = offsetOf(text, line, stage);
    // The last line may have no end.
    const gap = at > 0 && text[at - 1] !== '\n' ? '\n' : '';
    plan.of(path, text).insert(at, `${gap}${added}\n${text[at] === '#' ? '\n' : ''}`, reason);
  };
  const isWritten = /\bversion\.json\b|lifesign\S* version/.test(text);
  const line = lineForVersion(stage);
  if (line === undefined && !isWritten)
    leave(
      'has a last stage in which init finds no place for version.json: write it with npx lifesign version --set commit="$COMMIT" where a shell runs as root',
    );
  else if (line !== undefined && !isWritten) {
    // Without the argument the build continues as before.
    insert(
      line,
      `ARG COMMIT\nRUN if [ -n "$COMMIT" ]; then echo "{\\"commit\\":\\"$COMMIT\\"}" > version.json; fi`,
      'version.json for /__version__, if the build gets --build-arg COMMIT=$(git rev-parse HEAD)',
    );
    plan.note(
      'Build the image with --build-arg COMMIT=$(git rev-parse HEAD), and /__version__ says which commit runs',
    );
  }

  const health = stage.steps.find((step) => step.name === 'HEALTHCHECK');
  const usual = portOf(stage) ?? port;
  if (health !== undefined && !/lifesign|__lbheartbeat__/.test(health.text))
    leave(`has a HEALTHCHECK already: lifesign-cli doctor ${name} says what to change in it`);
  else if (health === undefined && !isPlain)
    leave(
      'got no HEALTHCHECK, because the service answers over TLS or HTTP/2: write HEALTHCHECK CMD with lifesign probe https://localhost:PORT --insecure',
    );
  else if (health === undefined && usual === undefined)
    leave(
      'got no HEALTHCHECK, because the port of the service was not found: add EXPOSE with it, and run init again',
    );
  else if (health === undefined) {
    const node = /distroless\/nodejs/.test(stage.image) ? '/nodejs/bin/node' : 'node';
    // It needs only Node: the modules may be in any folder of the image.
    const script = `fetch(\`http://127.0.0.1:\${process.env.PORT||${usual}}/__lbheartbeat__\`).then(({ok})=>process.exit(ok?0:1))`;
    insert(
      Infinity,
      `HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \\\n    CMD ["${node}", "-e", "${script}"]`,
      'requests /__lbheartbeat__ without curl in the image',
    );
  }
}

/** Where lines go that come before a line, or before the command that runs the service; comments right above it stay with it. */
function offsetOf(text: string, wanted: number, { own }: Stage): number {
  const command = own.find(({ name }) => name === 'CMD' || name === 'ENTRYPOINT');
  const line = Math.min(wanted, command?.line ?? Infinity);
  if (line === Infinity) return text.length;
  const before = text.split('\n').slice(0, line - 1);
  const last = before.findLastIndex((one) => !/^\s*#/.test(one));
  // A comment between the lines of one instruction is a part of it.
  const kept = /\\\s*$/.test(before[last] ?? '') ? before.length : last + 1;
  return before.slice(0, kept).reduce((sum, one) => sum + one.length + 1, 0);
}

/** The port that an image listens on without another `PORT`; undefined if it does not say one. */
function portOf({ steps }: Stage): number | undefined {
  const set = steps.flatMap(({ name, assignments }) =>
    name === 'ENV' ? assignments.filter(([key]) => key === 'PORT').map(([, value]) => value) : [],
  );
  const exposed = steps.filter(({ name }) => name === 'EXPOSE').flatMap(({ text }) => text.split(/\s+/));
  const port = set.at(-1) ?? (exposed.length === 1 ? exposed[0]?.replace(/\/tcp$/, '') : undefined);
  return /^\d+$/.test(port ?? '') ? Number(port) : undefined;
}

/** The line before which a shell can write version.json into the WORKDIR as root: the line of USER, or Infinity for the end. */
function lineForVersion({ image, folder, steps, own }: Stage): number | undefined {
  const user = steps.find(({ name, text }) => name === 'USER' && !/^(?:root|0)(?::|$)/.test(text));
  const copied = own.findLast(
    ({ name, text }) => /^(?:COPY|ADD)$/.test(name) || (name === 'RUN' && /\binstall\b|\bci\b/.test(text)),
  );
  if (/distroless/.test(image) || folder === undefined) return undefined;
  if (user === undefined) return Infinity;
  // Before files are copied it would invalidate the cache of what follows.
  return own.includes(user) && user.line > (copied?.line ?? 0) ? user.line : undefined;
}
