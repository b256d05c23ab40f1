import { posix } from 'node:path';
import {
  environmentOf,
  type Instruction,
  instructionsOf,
  stagesOf,
  type Step,
  within,
} from '../../dockerfile.js';
import { parseJson } from '../../json.js';
import { requestOf, variable } from '../requests.js';
import { timeOf } from '../tree.js';
import type { Build, Probe, Start, Workload } from '../workload.js';

/** Docker's defaults. */
const defaults = { timeout: 30_000, interval: 30_000, retries: 3 };

/** The image that a Dockerfile builds: its last stage, with everything inherited from the stages it is built from. */
export function dockerfileWorkload(text: string, file: string): Workload | undefined {
  const stages = stagesOf(instructionsOf(text));
  const last = stages.at(-1);
  if (last === undefined) return undefined;
  const own = last.steps;
  const env = environmentOf(own);
  const [healthcheck, entrypoint, command, user, shell] = [
    'HEALTHCHECK',
    'ENTRYPOINT',
    'CMD',
    'USER',
    'SHELL',
  ].map((name) => own.findLast((instruction) => instruction.name === name));
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
    build: buildOf(
      stages.flatMap((stage) => stage.own),
      own,
      own.some(({ name }) => name === 'WORKDIR') ? last.folder : '/',
    ),
    tools: ['curl', 'wget'].filter((tool) => own.some((instruction) => adds(instruction, tool))),
    user:
      user === undefined
        ? { text: 'root', line: last.line }
        : { text: variable(user.text, env), line: user.line, explicit: true },
    start: startOf(entrypoint, command, shell && execForm(shell.text)),
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

/** The arguments of the exec form; undefined for a line for a shell. */
function execForm(text: string): readonly string[] | undefined {
  const parsed = parseJson(text);
  return 'value' in parsed && Array.isArray(parsed.value) ? parsed.value.map(String) : undefined;
}

function startOf(
  entrypoint: Instruction | undefined,
  command: Instruction | undefined,
  shell: readonly string[] | undefined,
): Start | undefined {
  const first = entrypoint ?? command;
  if (first === undefined) return undefined;
  const words = execForm(first.text);
  if (words === undefined)
    return { line: first.line, shell: shell === undefined, words: [...(shell ?? []), first.text] };
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
function buildOf(steps: readonly Step[], own: readonly Step[], workdir?: string): Build {
  const versionFiles = steps.flatMap(({ name, text, line, folder }): Build['versionFiles'][number][] => {
    if (name === 'RUN' && /\blifesign(?:@\S{1,50}|\/dist\/cli\/bin\.cjs)?\s{1,20}version\b/.test(text)) {
      const out = within(folder, /--out[ =](\S+)/.exec(text)?.[1] ?? 'version.json');
      return [{ line, ...(out !== undefined && { directory: posix.dirname(out) }) }];
    }
    if (!/\bversion\.json\b/.test(text) || !/^(?:RUN|COPY|ADD)$/.test(name)) return [];
    // The content of a heredoc is not its destination.
    const target = name === 'RUN' ? undefined : / (\S+)$/.exec(text.replace(/\n[^]*/, ''))?.[1];
    const file = target === undefined ? undefined : within(folder, target);
    if (file === undefined) return [{ line }];
    return [{ line, directory: file.endsWith('version.json') ? posix.dirname(file) : file }];
  });
  const copiesSource = own.some(
    ({ name, text }) => name === 'COPY' && !text.includes('--from=') && /(?:^| )\.\/? /.test(text),
  );
  const mentions = (words: RegExp) => steps.some(({ text }) => words.test(text));
  return {
    versionFiles,
    workdir,
    copiesSource,
    node: mentions(/(?:^|[\s"'/])(?:node|npm|npx|yarn|pnpm|package\.json)(?=[\s"':@.-]|$)/),
    lifesign: mentions(/\blifesign\b/),
    dropsRoot: mentions(/\b(?:gosu|su-exec|setpriv|runuser)\b/),
  };
}
