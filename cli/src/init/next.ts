import type { Plan } from './changes.js';
import { changeScript } from './manifest.js';
import type { Project } from './project.js';
import type { Serving } from './serving.js';

const flag = '--import lifesign/auto';
/** Variables, and programs that set them, before a command. */
const before = String.raw`(?:[A-Z_]\w*=\S*\s+|(?:cross-env|env|exec|npx)\s+|dotenv(?:x run)?(?:\s+-\S+\s+\S+)*\s+--\s+)*`;
const starts = new RegExp(String.raw`^(${before})(?:\S*node_modules/\.bin/)?next start(?=\s|$)`);
const standalone = new RegExp(String.raw`^(${before}node )(?=(?:.* )?\.next/standalone/server\.js)`);

/** The start script with lifesign/auto: Next.js has no file of its own that creates the server. */
function startOfNext(script: string): string | undefined {
  const commands = script.split(/(\s*(?:&&|;)\s*)/);
  const at = commands.findIndex((command) => starts.test(command) || standalone.test(command));
  const command = commands[at];
  if (command === undefined) return undefined;
  commands[at] = command
    .replace(starts, `$1node ${flag} node_modules/next/dist/bin/next start`)
    .replace(standalone, `$1${flag} `);
  return commands.join('');
}

/** Starts Next.js with lifesign/auto, by its script. */
export function changeNext(
  plan: Plan,
  project: Project,
): { readonly what: string; readonly serving: Serving } {
  const script = startOfNext(project.scripts['start'] ?? '');
  if (script === undefined) {
    plan.note(
      `Next.js is not started by next start: add ${flag} to the line that starts it, see docs/auto-frameworks.md`,
    );
  } else {
    const reason = 'lifesign/auto serves the endpoints before Next.js, without a change of the code';
    changeScript(plan, project, 'start', script, reason);
  }
  return { what: 'Next.js', serving: servingOfNext(project) };
}

export const servingOfNext = ({ scripts }: Project): Serving => ({
  port: Number(/\s(?:-p|--port)[= ](\d+)/.exec(scripts['start'] ?? '')?.[1] ?? 3000),
  isPlain: true,
});
