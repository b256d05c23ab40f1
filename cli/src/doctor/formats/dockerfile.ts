import { parseJson } from '../../json.js';
import {
  type Build,
  type Probe,
  requestOf,
  type Start,
  timeOf,
  variable,
  type Workload,
} from '../workload.js';

/** One instruction, with the lines it goes on over joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly line: number;
}

/** What Docker does where nothing is written. */
const defaults = { timeout: 30_000 };

/** The image that a Dockerfile builds: its last stage, with what that takes over from the stages it is made from. */
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
  const start = startOf(entrypoint, command);
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
    user: { text: user === undefined ? 'root' : variable(user.text, env), line: user?.line ?? last.line },
    ...(start && { start }),
  };
}

/** The instructions of the image: of its last stage, and of those it is made from. */
export function imageInstructions(text: string): readonly Instruction[] {
  return wholeOf(stagesOf(instructionsOf(text)).at(-1));
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

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.split(/\r?\n/);
  const found: Instruction[] = [];
  const goesOn = continuationOf(text);
  // Where each line is found last: a heredoc that nothing ends must not be searched for each time.
  const last = new Map(lines.map((line, at) => [line.trim(), at]));
  for (let index = 0; index < lines.length; index += 1) {
    const first = index;
    const [, name = '', opening = ''] = /^\s*([A-Za-z]+)\s+(.*)$/.exec(lines[index] ?? '') ?? [];
    if (name === '') continue;
    const parts = [opening];
    while (goesOn.test(parts.at(-1) ?? '') && index + 1 < lines.length) {
      index += 1;
      const next = lines[index] ?? '';
      // A comment or an empty line inside of an instruction ends nothing.
      if (!/^\s*(?:#.*)?$/.test(next)) parts.push(next.trim());
    }
    let rest = parts.map((part, at) => (at < parts.length - 1 ? part.replace(goesOn, '') : part)).join(' ');
    // The lines of a heredoc are not instructions.
    const marker = /<<-?["']?(\w+)["']?/.exec(rest)?.[1];
    if (marker !== undefined && /^(?:RUN|COPY|ADD)$/i.test(name) && (last.get(marker) ?? 0) > index) {
      const body = index + 1;
      do index += 1;
      while (lines[index]?.trim() !== marker);
      rest += `\n${lines.slice(body, index).join('\n')}`;
    }
    found.push({ name: name.toUpperCase(), text: rest.trim(), line: first + 1 });
  }
  return found;
}

/** How a line ends that goes on: a directive before everything else may name another character. */
function continuationOf(text: string): RegExp {
  const [head = ''] = text.slice(0, 10_000).split(/^(?!\uFEFF?#)/m, 1);
  return /^\uFEFF?#\s{0,20}escape\s{0,20}=\s{0,20}`/im.test(head) ? /`\s*$/ : /\\\s*$/;
}

interface Stage {
  readonly line: number;
  /** Of the first stage it is made from. */
  readonly image: string;
  readonly parent: Stage | undefined;
  /** Without those of its parent. */
  readonly own: Instruction[];
}

function stagesOf(instructions: readonly Instruction[]): readonly Stage[] {
  const globals = new Map<string, string | undefined>();
  const stages: Stage[] = [];
  const named = new Map<string, Stage>();
  for (const instruction of instructions) {
    const { name, text, line } = instruction;
    const current = stages.at(-1);
    if (name !== 'FROM') {
      if (current !== undefined) current.own.push(instruction);
      else if (name === 'ARG') for (const [key, value] of assignmentsOf(text)) globals.set(key, value);
      continue;
    }
    const [, from = '', alias] = /^(?:--\S+\s+)*(\S+)(?:\s+[Aa][Ss]\s+(\S+))?/.exec(text) ?? [];
    const image = variable(from, globals);
    const parent = named.get(image.toLowerCase());
    const stage = { line, image: parent?.image ?? image, parent, own: [] };
    stages.push(stage);
    if (alias !== undefined) named.set(alias.toLowerCase(), stage);
  }
  return stages;
}

/** The instructions of a stage after those of the stages it is made from. */
function wholeOf(stage: Stage | undefined): readonly Instruction[] {
  const chain: Stage[] = [];
  for (let each = stage; each !== undefined; each = each.parent) chain.push(each);
  return chain.toReversed().flatMap(({ own }) => own);
}

function environmentOf(instructions: readonly Instruction[]): Map<string, string | undefined> {
  return new Map(
    instructions.flatMap(({ name, text }) => (name === 'ENV' || name === 'ARG' ? assignmentsOf(text) : [])),
  );
}

/** `A=1 B="2 3"`, and the old form `A 1`. */
function assignmentsOf(text: string): [string, string | undefined][] {
  if (!text.includes('=')) {
    const [name = '', ...value] = text.split(/\s+/);
    return [[name, value.length === 0 ? undefined : value.join(' ')]];
  }
  return [...text.matchAll(/\b(\w{1,200})=("[^"]*"|'[^']*'|\S*)/g)].map(([, name = '', value = '']) => [
    name,
    value.replace(/^(["'])(.*)\1$/, '$2'),
  ]);
}

/** The words of the exec form; undefined for a line for a shell. */
export function execForm(text: string): readonly string[] | undefined {
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
  const command = execForm(text) ?? [text];
  const initialDelay = flag('start-period');
  return [
    {
      role: 'liveness',
      line: instruction.line,
      command,
      ...requestOf(command, env),
      timeout: flag('timeout') ?? defaults.timeout,
      ...(initialDelay !== undefined && { initialDelay }),
    },
  ];
}

/** What all stages do about version.json: one may make it and another take it over. */
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
    if (name === 'RUN' && /\blifesign(?:@\S{1,50})?\s{1,20}version\b/.test(text)) {
      const out = /--out[ =](\S+)/.exec(text)?.[1];
      versionFiles.push({ line, directory: out === undefined ? workdir : directoryOf(joined(workdir, out)) });
    } else if (/\bversion\.json\b/.test(text) && /^(?:RUN|COPY|ADD)$/.test(name)) {
      // What a heredoc has is not where it goes.
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
  return { versionFiles, workdir, copiesSource };
}

function joined(base: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${base}/${path}`;
  return `/${whole
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;
}

const directoryOf = (file: string): string => file.replace(/\/[^/]*$/, '') || '/';
