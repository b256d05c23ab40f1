import { posix } from 'node:path';
import { Copy, DockerfileParser, PropertyInstruction } from 'dockerfile-ast';
import { variable } from './doctor/requests.js';

/** One instruction, with its continuation lines joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly line: number;
  /** Of ENV, ARG and LABEL. */
  readonly assignments: readonly (readonly [name: string, value: string | undefined])[];
  /** The stage or image that files are copied from. */
  readonly from: string | undefined;
}

/** The instructions of a Dockerfile, in their order. */
export function instructionsOf(given: string): readonly Instruction[] {
  const text = given.replace(/^\uFEFF/, '');
  const dockerfile = DockerfileParser.parse(text);
  const lines = text.split(/\r?\n/);
  const goesOn = dockerfile.getEscapeCharacter() === '`' ? /`\s*$/ : /\\\s*$/;
  return dockerfile.getInstructions().map((instruction) => {
    const { start, end } = instruction.getRange();
    return {
      name: instruction.getKeyword(),
      text: joinedLines(lines.slice(start.line, end.line + 1), goesOn).replace(/^\s*\S+\s*/, ''),
      line: start.line + 1,
      from: fromOf(instruction),
      assignments:
        instruction instanceof PropertyInstruction
          ? instruction.getProperties().map((each) => [each.getName(), each.getValue() ?? undefined])
          : [],
    };
  });
}

/** Of `COPY --from=build`, with any other flags. */
const fromOf = (instruction: object): string | undefined =>
  instruction instanceof Copy
    ? instruction
        .getFlags()
        .find((flag) => flag.getName() === 'from')
        ?.getValue()
        ?.toLowerCase()
    : undefined;

/** The lines of an instruction as one, without comments between them. The lines of a heredoc stay as they are. */
function joinedLines(lines: readonly string[], goesOn: RegExp): string {
  const last = lines.findIndex((line) => !goesOn.test(line) && !isComment.test(line));
  const end = last === -1 ? lines.length : last + 1;
  const head = lines.slice(0, end).filter((line, at) => at === 0 || !isComment.test(line));
  const joined = head.map((line) => line.replace(goesOn, '').trim()).join(' ');
  return [joined, ...lines.slice(end)].join('\n').trim();
}

const isComment = /^\s*(?:#.*)?$/;

/** An instruction with the folder that it runs in: after WORKDIR the new one; undefined if that is not known. */
export interface Step extends Instruction {
  readonly folder: string | undefined;
}

export interface Stage {
  readonly line: number;
  readonly name: string | undefined;
  /** Of the first stage it is made from. */
  readonly image: string;
  /** Without the lines of the stage it is made from. */
  readonly own: readonly Step[];
  /** With the lines of the stage it is made from. */
  readonly steps: readonly Step[];
  /** At its end. */
  readonly folder: string | undefined;
}

export function stagesOf(instructions: readonly Instruction[]): readonly Stage[] {
  const globals = new Map<string, string | undefined>();
  const stages: Stage[] = [];
  const starts = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []));
  for (const { assignments } of instructions.slice(0, starts[0]))
    for (const [key, value] of assignments) globals.set(key, value);
  for (const [index, start] of starts.entries()) {
    const [{ text, line } = { text: '', line: 1 }, ...rest] = instructions.slice(start, starts[index + 1]);
    const [, from = '', alias] = /^(?:--\S+\s+)*(\S+)(?:\s+[Aa][Ss]\s+(\S+))?/.exec(text) ?? [];
    const image = variable(from, globals);
    const parent = stages.findLast(({ name }) => name === image.toLowerCase());
    const before = parent?.steps ?? [];
    const env = environmentOf(before);
    let folder = parent?.folder;
    const own = rest.map((instruction): Step => {
      for (const [key, value] of environmentOf([instruction])) env.set(key, value);
      if (instruction.name === 'WORKDIR') folder = within(folder, variable(instruction.text, env));
      return { ...instruction, folder };
    });
    const name = alias?.toLowerCase();
    stages.push({ line, name, image: parent?.image ?? image, own, steps: [...before, ...own], folder });
  }
  return stages;
}

/** The variables of a build. */
export const environmentOf = (instructions: readonly Instruction[]): Map<string, string | undefined> =>
  new Map(
    instructions.flatMap(({ name, assignments }) => (name === 'ENV' || name === 'ARG' ? assignments : [])),
  );

/** A path in an image; undefined if a variable decides, or the image. */
export function within(folder: string | undefined, path: string): string | undefined {
  const plain = path.replace(/^["']|["']$/g, '');
  if (plain.includes('$') || (folder === undefined && !plain.startsWith('/'))) return undefined;
  return posix.resolve(folder ?? '/', plain);
}
