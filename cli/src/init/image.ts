import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import type { Plan } from './changes.js';
import { type Project, readText } from './project.js';

/** Offset of the first character of a line, counted from 0. */
function offsetOf(text: string, line: number): number {
  let at = 0;
  for (let count = 0; count < line; count += 1) at = text.indexOf('\n', at) + 1;
  return at;
}

const keywordOf = (instruction: Instruction): string => instruction.getKeyword();
const argumentsOf = (instruction: Instruction): string => instruction.getArgumentsContent() ?? '';

/** Adds the health check and the build's identity to the last stage of a Dockerfile. */
export function changeImage(plan: Plan, { directory }: Project, port: number | undefined): void {
  const path = join(directory, 'Dockerfile');
  const text = readText(path);
  if (text === undefined) return;
  const all = DockerfileParser.parse(text).getInstructions();
  const from = all.findLastIndex((one) => keywordOf(one) === 'FROM');
  const stage = all.slice(from);
  const [base] = stage;
  if (base === undefined || from < 0) return;
  const image = imageOf(all, argumentsOf(base));
  const distroless = /distroless\/nodejs/.test(image);
  if (!distroless && !/(?:^|\/)node(?::|$|@)|\bnode:/.test(image)) {
    plan.note(
      `The last stage of the Dockerfile is built on ${image || 'an unknown image'}: add a HEALTHCHECK with lifesign probe if it has Node`,
    );
    return;
  }
  const workdir = stage.findLast((one) => keywordOf(one) === 'WORKDIR');
  const folder = workdir === undefined ? undefined : argumentsOf(workdir).replace(/\/$/, '');
  if (folder === undefined || !folder.startsWith('/') || folder.includes('$')) {
    plan.note(
      'The Dockerfile has no absolute WORKDIR in its last stage: add a HEALTHCHECK with lifesign probe',
    );
    return;
  }
  const command = stage.find((one) => ['CMD', 'ENTRYPOINT'].includes(keywordOf(one)));
  const node = distroless ? '/nodejs/bin/node' : 'node';
  const tool = `${folder}/node_modules/lifesign/dist/cli/bin.cjs`;
  const change = plan.of(path, text);
  const end = command?.getRange();
  const at = end ? offsetOf(text, end.start.line) : text.length;
  addVersion(plan, text, stage, at, `${node} ${tool}`, distroless, path);
  if (!stage.some((one) => keywordOf(one) === 'HEALTHCHECK')) {
    const own = portOf(stage) ?? port;
    const target = own === undefined || own === 8000 ? '' : `, "http://127.0.0.1:${own}"`;
    const lines = `HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \\\n    CMD ["${node}", "${tool}", "probe"${hasPort(stage) ? '' : target}]\n`;
    change.insert(at, lines, 'asks /__lbheartbeat__ without curl in the image');
  }
}

/** The base image of a stage, through other stages and arguments with a default. */
function imageOf(all: readonly Instruction[], from: string): string {
  const name = from.replace(/^(?:--\S+\s+)*/, '').split(/\s+/)[0] ?? '';
  const stage = all.find(
    (one) =>
      keywordOf(one) === 'FROM' &&
      new RegExp(`\\s+as\\s+${name.replace(/[^\w-]/g, '\\$&')}$`, 'i').test(argumentsOf(one)),
  );
  if (stage !== undefined && argumentsOf(stage) !== from) return imageOf(all, argumentsOf(stage));
  const argument = /^\$\{?(\w+)/.exec(name)?.[1];
  const given =
    argument === undefined
      ? undefined
      : all.find((one) => keywordOf(one) === 'ARG' && argumentsOf(one).startsWith(`${argument}=`));
  return given === undefined
    ? name
    : argumentsOf(given)
        .replace(/^\w+=/, '')
        .replace(/^["']|["']$/g, '') + name.replace(/^\$\{?\w+\}?/, '');
}

const hasPort = (stage: readonly Instruction[]): boolean =>
  stage.some((one) => keywordOf(one) === 'ENV' && /(?:^|\s)PORT[= ]/.test(argumentsOf(one)));

function portOf(stage: readonly Instruction[]): number | undefined {
  const exposed = stage
    .filter((one) => keywordOf(one) === 'EXPOSE')
    .flatMap((one) => argumentsOf(one).split(/\s+/));
  const [only] = exposed;
  return exposed.length === 1 && /^\d+(?:\/tcp)?$/.test(only ?? '')
    ? Number.parseInt(only ?? '', 10)
    : undefined;
}

/** Writes version.json if the build has the commit as an argument: without it the build continues as before. */
function addVersion(
  plan: Plan,
  text: string,
  stage: readonly Instruction[],
  before: number,
  tool: string,
  distroless: boolean,
  path: string,
): void {
  if (/\bversion\.json\b|lifesign\S* version/.test(text)) return;
  if (distroless) {
    plan.note(
      'The last stage of the Dockerfile has no shell: write version.json in an earlier one, with npx lifesign version --set commit="$COMMIT"',
    );
    return;
  }
  const user = stage.find((one) => keywordOf(one) === 'USER' && !/^(?:root|0)(?::|$)/.test(argumentsOf(one)));
  const copied = stage.findLast(
    (one) =>
      ['COPY', 'ADD'].includes(keywordOf(one)) ||
      (keywordOf(one) === 'RUN' && /\binstall\b|\bci\b/.test(argumentsOf(one))),
  );
  const userAt = user === undefined ? before : offsetOf(text, user.getRange().start.line);
  const copiedAt = copied === undefined ? 0 : offsetOf(text, copied.getRange().start.line);
  if (userAt < copiedAt) {
    plan.note(
      'The Dockerfile copies files after it changes the user: write version.json there, with npx lifesign version --set commit="$COMMIT"',
    );
    return;
  }
  const lines = `ARG COMMIT\nRUN if [ -n "$COMMIT" ]; then ${tool} version --set commit="$COMMIT"; fi\n`;
  plan
    .of(path, text)
    .insert(
      Math.min(userAt, before),
      lines,
      'version.json for /__version__, if the build gets --build-arg COMMIT=$(git rev-parse HEAD)',
    );
  plan.note(
    'Build the image with --build-arg COMMIT=$(git rev-parse HEAD), and /__version__ says which commit runs',
  );
}

/** Keeps the host's modules and history out of the image, but never version.json. */
export function changeIgnored(plan: Plan, { directory }: Project): void {
  const docker = readText(join(directory, 'Dockerfile'));
  if (docker === undefined) return;
  const path = join(directory, '.dockerignore');
  const text = readText(path);
  if (text === undefined) {
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
  const gap = text.endsWith('\n') ? '' : '\n';
  plan.of(path, text).insert(text.length, `${gap}!version.json\n`, '/__version__ serves this file');
}
