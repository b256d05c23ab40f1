import { posix } from 'node:path';
import { type Instruction, instructionsOf, stagesOf as parsedStages } from '../dockerfile.js';

/** An instruction of a Dockerfile with the folder that it runs in; undefined if that is not known. */
interface Step extends Instruction {
  readonly folder: string | undefined;
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
  const stages = new Map<unknown, Stage>();
  for (const parsed of parsedStages(instructionsOf(text))) {
    const { name, image } = parsed;
    const parent = stages.get(parsed.parent);
    let folder = parent?.folder;
    const own = parsed.own.map((instruction): Step => {
      if (instruction.name === 'WORKDIR') folder = within(folder, instruction.text);
      return { ...instruction, folder };
    });
    stages.set(parsed, { name, image, own, folder, steps: [...(parent?.steps ?? []), ...own] });
  }
  return [...stages.values()];
}

/** A path in an image; undefined if a variable decides. */
function within(folder: string | undefined, path: string): string | undefined {
  const plain = path.replace(/^["']|["']$/g, '');
  if (plain.includes('$') || (folder === undefined && !plain.startsWith('/'))) return undefined;
  return posix.resolve(folder ?? '/', plain);
}

const installs =
  /(?:^|&&|;|\s)(?:npm\s+(?:ci|i|install|clean-install)|(?:pnpm|bun)\s+(?:ci|i|install)|yarn(?:\s+install|\s+workspaces\s+focus|\s*(?=$|&&|;|--)))(?![^&;]*\s(?:-g|--global)\b)/;

/** Whether a folder of a stage has the modules of the service: they are installed there, or copied as a whole. */
export function hasModules(stages: readonly Stage[], stage: Stage, folder: string, depth = 0): boolean {
  return stage.steps.some((step) => {
    if (step.name === 'RUN')
      return step.folder === folder && installs.test(step.text) && !/(?:^|[\s;&])cd\s/.test(step.text);
    if (step.name !== 'COPY' || step.from === undefined || depth > 10) return false;
    const paths = pathsOf(step.text);
    const target = within(step.folder, paths.at(-1) ?? '$');
    const source = stages.find(({ name }, index) => name === step.from || String(index) === step.from);
    return paths.slice(0, -1).some((path) => {
      if (/(?:^|\/)node_modules\/?$/.test(path)) return target === `${folder}/node_modules`;
      const place = within('/', path);
      const isWhole = target === folder && source !== undefined && place !== undefined;
      return isWhole && hasModules(stages, source, place, depth + 1);
    });
  });
}

function pathsOf(text: string): string[] {
  const paths = text.replace(/^(?:--\S+\s+)*/, '').trim();
  if (!paths.startsWith('[')) return paths.split(/\s+/);
  return [...paths.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path);
}
