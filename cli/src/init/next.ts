import type { Plan } from './changes.js';
import { changeScript } from './manifest.js';
import type { Project } from './project.js';
import type { Serving } from './serving.js';

const flag = '--import lifesign/auto';
/** Variables, and programs that set them, before a command. */
const before = String.raw`(?:[A-Z_]\w*=\S*\s+|(?:cross-env|env|exec|npx)\s+|dotenv(?:x run)?(?:\s+-\S+\s+\S+)*\s+--\s+)*`;
const starts = new RegExp(String.raw`(^|&&|;)(\s*${before})(?:\S*node_modules/\.bin/)?next start(?=\s|$)`);
const standalone = new RegExp(
  String.raw`(^|&&|;)(\s*${before}node )(?=(?:.* )?\.next/standalone/server\.js)`,
);

/** Starts Next.js with lifesign/auto, by its script: it has no file of its own that creates the server. */
export function changeNext(plan: Plan, project: Project): void {
  const script = project.scripts['start'] ?? '';
  const changed = script
    .replace(starts, `$1$2node ${flag} node_modules/next/dist/bin/next start`)
    .replace(standalone, `$1$2${flag} `);
  if (changed === script)
    plan.note(
      `Next.js is not started by next start: add ${flag} to the line that starts it, see docs/auto-frameworks.md`,
    );
  else
    changeScript(
      plan,
      project,
      'start',
      changed,
      'lifesign/auto serves the endpoints before Next.js, without a change of the code',
    );
}

export const servingOfNext = ({ scripts }: Project): Serving => ({
  port: Number(/\s(?:-p|--port)[= ](\d+)/.exec(scripts['start'] ?? '')?.[1] ?? 3000),
  isPlain: true,
});
