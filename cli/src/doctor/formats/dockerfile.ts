import { type Instruction, instructionsOf, type Stage, stagesOf } from '../../dockerfile.js';
import { parseJson } from '../../json.js';
import { requestOf, variable } from '../requests.js';
import { timeOf } from '../tree.js';
import type { Build, Probe, Start, Workload } from '../workload.js';

/** Docker's defaults. */
const defaults = { timeout: 30_000, interval: 30_000, retries: 3 };

/** The image that a Dockerfile builds: its last stage, with everything inherited from the stages it is built from. */
export function dockerfileWorkload(text: string, file: string): Workload | undefined {
  const instructions = instructionsOf(text);
  const stages = stagesOf(instructions);
  const last = stages.at(-1);
  if (last === undefined) return undefined;
  const own = wholeOf(last);
  const env = environmentOf(own);
  const [healthcheck, entrypoint, command, user] = ['HEALTHCHECK', 'ENTRYPOINT', 'CMD', 'USER'].map((name) =>
    own.findLast((instruction) => instruction.name === name),
  );
  return {
    format: 'dockerfile',
    file,
    line: last.line,
    name: 'the image',
    image: last.image,
    env,
    ports: new Map(
      own.flatMap(({ name, text: ports }) =>
        name === 'EXPOSE' ? ports.split(/\s+/).map((port) => portOf(variable(port, env))) : [],
      ),
    ),
    probes: probeOf(healthcheck, env),
    build: buildOf(instructions, own, env),
    tools: ['curl', 'wget'].filter((tool) => own.some((instruction) => adds(instruction, tool))),
    user:
      user === undefined
        ? { text: 'root', line: last.line }
        : { text: variable(user.text, env), line: user.line, explicit: true },
    start: startOf(entrypoint, command),
  };
}

const managers = /\b(?:apk|apt|apt-get|dnf|microdnf|yum|zypper)\b/;

/** Whether an instruction puts a program into the image. */
function adds({ name, text }: Instruction, tool: string): boolean {
  if (name === 'RUN' && !managers.test(text)) return false;
  return /^(?:RUN|COPY|ADD)$/.test(name) && text.split(/[\s/=;]+/).includes(tool);
}

const portOf = (text: string): [string, string] => {
  const port = text.replace(/\/\w+$/, '');
  return [port, port];
};

/** The instructions of a stage after those of the stages it is made from. */
function wholeOf(stage: Stage | undefined): readonly Instruction[] {
  const chain: Stage[] = [];
  for (let each = stage; each !== undefined; each = each.parent) chain.push(each);
  return chain.toReversed().flatMap(({ own }) => own);
}

function environmentOf(instructions: readonly Instruction[]): Map<string, string | undefined> {
  return new Map(
    instructions.flatMap(({ name, assignments }) => (name === 'ENV' || name === 'ARG' ? assignments : [])),
  );
}

/** The words of the exec form; undefined for a line for a shell. */
function execForm(text: string): readonly string[] | undefined {
  const parsed = parseJson(text);
  return 'value' in parsed && Array.isArray(parsed.value) ? parsed.value.map(String) : undefined;
}

function startOf(entrypoint: Instruction | undefined, command: Instruction | undefined): Start | undefined {
  const first = entrypoint ?? command;
  if (first === undefined) return undefined;
  const words = execForm(first.text);
  if (words === undefined) return { line: first.line, shell: true, words: [first.text] };
  const rest = entrypoint === undefined || command === undefined ? [] : (execForm(command.text) ?? []);
  return { line: first.line, shell: false, words: [...words, ...rest] };
}

function probeOf(
  instruction: Instruction | undefined,
  env: ReadonlyMap<string, string | undefined>,
): readonly Probe[] {
  const [, flags = '', text = ''] = /^((?:--\S+\s+)*)CMD\s+([^]*)$/i.exec(instruction?.text ?? '') ?? [];
  if (instruction === undefined || text === '') return [];
  const flag = (name: string) => timeOf(new RegExp(`--${name}=(\\S+)`).exec(flags)?.[1]);
  const words = execForm(text);
  const command = words ?? [text];
  return [
    {
      role: 'liveness',
      kind: 'exec',
      line: instruction.line,
      command,
      shell: words === undefined,
      period: flag('interval') ?? defaults.interval,
      threshold: Number(/--retries=(\d{1,6})/.exec(flags)?.[1] ?? defaults.retries),
      startInterval: flag('start-interval'),
      ...requestOf(command, env),
      timeout: flag('timeout') ?? defaults.timeout,
      initialDelay: flag('start-period'),
    },
  ];
}

/** How all stages together handle version.json: one may create it and another copy it. */
function buildOf(
  instructions: readonly Instruction[],
  own: readonly Instruction[],
  env: ReadonlyMap<string, string | undefined>,
): Build {
  const versionFiles: { line: number; directory?: string }[] = [];
  let workdir = '/';
  for (const { name, text, line } of instructions) {
    if (name === 'FROM') workdir = '/';
    if (name === 'WORKDIR') workdir = joined(workdir, variable(text, env));
    if (name === 'RUN' && /\blifesign(?:@\S{1,50}|\/dist\/cli\/bin\.cjs)?\s{1,20}version\b/.test(text)) {
      const out = /--out[ =](\S+)/.exec(text)?.[1];
      versionFiles.push({ line, directory: out === undefined ? workdir : directoryOf(joined(workdir, out)) });
    } else if (/\bversion\.json\b/.test(text) && /^(?:RUN|COPY|ADD)$/.test(name)) {
      // The content of a heredoc is not its destination.
      const target = name === 'RUN' ? undefined : / (\S+)$/.exec(text.replace(/\n[^]*/, ''))?.[1];
      const file = target && joined(workdir, variable(target, env));
      versionFiles.push({
        line,
        ...(file && { directory: file.endsWith('version.json') ? directoryOf(file) : file }),
      });
    }
  }
  const copiesSource = own.some(
    ({ name, text }) => name === 'COPY' && !text.includes('--from=') && /(?:^| )\.\/? /.test(text),
  );
  const mentions = (words: RegExp) => instructions.some(({ text }) => words.test(text));
  return {
    versionFiles,
    workdir,
    copiesSource,
    node: mentions(/(?:^|[\s"'/])(?:node|npm|npx|yarn|pnpm|package\.json)(?=[\s"':@.-]|$)/),
    lifesign: mentions(/\blifesign\b/),
    dropsRoot: mentions(/\b(?:gosu|su-exec|setpriv|runuser)\b/),
  };
}

function joined(base: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${base}/${path}`;
  return `/${whole
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;
}

const directoryOf = (file: string): string => file.replace(/\/[^/]*$/, '') || '/';
