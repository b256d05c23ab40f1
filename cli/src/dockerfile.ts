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

/** Of `COPY --from=build`, whatever other flags it has. */
const fromOf = (instruction: object): string | undefined =>
  instruction instanceof Copy
    ? instruction
        .getFlags()
        .find((flag) => flag.getName() === 'from')
        ?.getValue()
        ?.toLowerCase()
    : undefined;

/** The lines of an instruction as one, without comments between them. Those of a heredoc stay as they are. */
function joinedLines(lines: readonly string[], goesOn: RegExp): string {
  const last = lines.findIndex((line) => !goesOn.test(line) && !isComment.test(line));
  const end = last === -1 ? lines.length : last + 1;
  const head = lines.slice(0, end).filter((line, at) => at === 0 || !isComment.test(line));
  const joined = head.map((line) => line.replace(goesOn, '').trim()).join(' ');
  return [joined, ...lines.slice(end)].join('\n').trim();
}

const isComment = /^\s*(?:#.*)?$/;

/** A stage, and the one it is made from. */
export interface Stage {
  readonly line: number;
  readonly name: string | undefined;
  /** Of the first stage it is made from. */
  readonly image: string;
  readonly parent: Stage | undefined;
  /** Without those of its parent. */
  readonly own: Instruction[];
}

export function stagesOf(instructions: readonly Instruction[]): readonly Stage[] {
  const globals = new Map<string, string | undefined>();
  const stages: Stage[] = [];
  const named = new Map<string, Stage>();
  for (const instruction of instructions) {
    const { name, text, line } = instruction;
    const current = stages.at(-1);
    if (name !== 'FROM') {
      if (current !== undefined) current.own.push(instruction);
      else if (name === 'ARG') for (const [key, value] of instruction.assignments) globals.set(key, value);
      continue;
    }
    const [, from = '', alias] = /^(?:--\S+\s+)*(\S+)(?:\s+[Aa][Ss]\s+(\S+))?/.exec(text) ?? [];
    const image = variable(from, globals);
    const parent = named.get(image.toLowerCase());
    const stage = { line, name: alias?.toLowerCase(), image: parent?.image ?? image, parent, own: [] };
    stages.push(stage);
    if (stage.name !== undefined) named.set(stage.name, stage);
  }
  return stages;
}
