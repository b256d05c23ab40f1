import { relative } from 'node:path';
import type { Plan } from './changes.js';
import type { Project } from './project.js';
import type { Stage, Step } from './stages.js';

/** A Dockerfile that is changed, for its last stage. */
export class Dockerfile {
  readonly #plan: Plan;
  readonly #path: string;
  readonly name: string;
  readonly text: string;
  readonly stage: Stage;
  readonly isDistroless: boolean;

  constructor(plan: Plan, project: Project, path: string, text: string, stage: Stage) {
    this.#plan = plan;
    this.#path = path;
    this.name = relative(project.directory, path);
    this.text = text;
    this.stage = stage;
    this.isDistroless = /distroless\/nodejs/.test(stage.image);
  }

  /** Where the command starts that runs the service. */
  get end(): number {
    const command = this.stage.own.find(({ name }) => name === 'CMD' || name === 'ENTRYPOINT');
    return command === undefined ? this.text.length : this.startOf(command);
  }

  startOf({ line }: Step): number {
    return offsetOf(this.text, line);
  }

  insert(at: number, lines: readonly string[], reason: string): void {
    const newline = this.text.includes('\r\n') ? '\r\n' : '\n';
    // The last line may have no end.
    const gap = at > 0 && this.text[at - 1] !== '\n' ? newline : '';
    const added = lines.map((line) => line + newline).join('');
    this.#plan.of(this.#path, this.text).insert(at, gap + added, reason);
  }

  note(text: string): undefined {
    this.#plan.note(text);
  }

  /** Says why it does not get all that it could. */
  leave(why: string): undefined {
    this.note(`${this.name} ${why}`);
  }
}

/** Offset of the first character of a line, counted from 1. */
function offsetOf(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count += 1) at = text.indexOf('\n', at) + 1;
  return at;
}
