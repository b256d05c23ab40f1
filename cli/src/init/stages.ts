import { posix } from 'node:path';
import { Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';

/** An instruction of a Dockerfile with the folder that it runs in; undefined if that is not known. */
export interface Step {
  readonly keyword: string;
  readonly value: string;
  readonly line: number;
  readonly folder: string | undefined;
  /** The stage or image that files are copied from. */
  readonly from: string | undefined;
}

/** A stage with the steps of the stages that it is built on. */
export interface Stage {
  readonly name: string | undefined;
  /** The image at the bottom, with the defaults of its arguments. */
  readonly image: string;
  readonly steps: readonly Step[];
  /** The steps of the stage itself. */
  readonly own: readonly Step[];
  readonly folder: string | undefined;
}

/** The stages of a Dockerfile, in their order. */
export function stagesOf(text: string): Stage[] {
  const stages: Stage[] = [];
  const globals = new Map<string, string>();
  let current: Instruction[] = [];
  const close = (): void => {
    const [from, ...rest] = current;
    if (from !== undefined) stages.push(stageOf(from, rest, stages, globals));
    current = [];
  };
  for (const instruction of DockerfileParser.parse(text.replace(/^\uFEFF/, '')).getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') close();
    if (keyword === 'ARG' && current.length === 0) {
      const [, name, value] = /^(\w+)=["']?([^"']*)/.exec(instruction.getArgumentsContent() ?? '') ?? [];
      if (name !== undefined && value !== undefined) globals.set(name, value);
    } else if (keyword === 'FROM' || current.length > 0) current.push(instruction);
  }
  close();
  return stages;
}

function stageOf(
  from: Instruction,
  rest: readonly Instruction[],
  stages: readonly Stage[],
  globals: ReadonlyMap<string, string>,
): Stage {
  const words = (from.getArgumentsContent() ?? '').split(/\s+/);
  const [image = '', as, name] = words;
  const given = image.replace(
    /\$\{?(\w+)(?::?-([^}]*))?\}?/g,
    (whole: string, key: string, usual?: string) => globals.get(key) ?? usual ?? whole,
  );
  const parent = stages.find((stage) => stage.name === given.toLowerCase());
  let folder = parent?.folder;
  const own = rest.map((instruction): Step => {
    const keyword = instruction.getKeyword();
    const value = instruction.getArgumentsContent() ?? '';
    if (keyword === 'WORKDIR') folder = within(folder, value);
    const from =
      instruction instanceof Copy ? instruction.getFromFlag()?.getValue()?.toLowerCase() : undefined;
    return { keyword, value, line: instruction.getRange().start.line, folder, from };
  });
  return {
    name: as?.toLowerCase() === 'as' ? name?.toLowerCase() : undefined,
    image: parent?.image ?? given,
    steps: [...(parent?.steps ?? []), ...own],
    own,
    folder,
  };
}

/** A path in an image; undefined if a variable decides. */
function within(folder: string | undefined, path: string): string | undefined {
  const plain = path.replace(/^["']|["']$/g, '');
  if (plain.includes('$')) return undefined;
  if (plain.startsWith('/')) return posix.normalize(plain).replace(/(?<=.)\/$/, '');
  return folder === undefined ? undefined : posix.join(folder, plain).replace(/(?<=.)\/$/, '');
}

const installs =
  /(?:^|&&|;|\s)(?:npm\s+(?:ci|i|install|clean-install)|(?:pnpm|bun)\s+(?:ci|i|install)|yarn(?:\s+install|\s+workspaces\s+focus|\s*(?=$|&&|;|--)))(?![^&;]*\s(?:-g|--global)\b)/;

/** Whether a folder of a stage has the modules of the service: they are installed there, or copied as a whole. */
export function hasModules(
  stages: readonly Stage[],
  stage: Stage,
  folder: string,
  isHostCopied: boolean,
  depth = 0,
): boolean {
  if (depth > 10) return false;
  return stage.steps.some((step) => {
    if (step.keyword === 'RUN')
      return step.folder === folder && installs.test(step.value) && !/(?:^|[\s;&])cd\s/.test(step.value);
    if (step.keyword !== 'COPY') return false;
    const paths = pathsOf(step.value);
    const target = paths.at(-1);
    const to = target === undefined ? undefined : within(step.folder, target);
    const { from } = step;
    const source = stages.find(({ name }, index) => name === from || String(index) === from);
    return paths.slice(0, -1).some((path) => {
      if (/(?:^|\/)node_modules\/?$/.test(path))
        return to === `${folder}/node_modules` || (to === folder && /node_modules\/?$/.test(target ?? ''));
      if (to !== folder) return false;
      if (from === undefined) return isHostCopied && /^\.\/?$/.test(path);
      const place = within('/', path);
      return source !== undefined && place !== undefined
        ? hasModules(stages, source, place, isHostCopied, depth + 1)
        : false;
    });
  });
}

function pathsOf(value: string): string[] {
  if (!value.trim().startsWith('[')) return value.trim().split(/\s+/);
  return [...value.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path);
}
