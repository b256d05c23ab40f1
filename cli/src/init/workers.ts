import { addImports, names } from './attach.js';
import type { Plan } from './changes.js';
import type { Client } from './clients.js';
import type { Module, Modules } from './modules.js';
import { importedAs } from './names.js';
import { healthLine, reachable } from './options.js';
import type { Project } from './project.js';
import { type Node, startOf, statementAround, walk } from './syntax.js';
import { freeName, lineBehind, styleOf } from './writing.js';

interface Worker {
  readonly module: Module;
  readonly name: string;
  readonly statement: Node;
  readonly block: Node;
  readonly top: Node;
  readonly around: readonly Node[];
}

/** Workers of BullMQ that are kept under a name. */
export function workersIn(module: Module): Worker[] {
  const found: Worker[] = [];
  walk(module.tree.program, (node, around) => {
    if (
      node.type !== 'VariableDeclarator' ||
      node.id.type !== 'Identifier' ||
      node.init?.type !== 'NewExpression'
    )
      return;
    const imported = importedAs(module, node.init.callee);
    const place = statementAround(node, around);
    if (imported?.name !== 'Worker' || !['bullmq', 'bull'].includes(imported.from) || place === undefined)
      return;
    found.push({ module, name: node.id.name, ...place, top: around[1] ?? place.statement, around });
  });
  return found;
}

/** Names workers that are not kept under a name; false if there are none. */
export function noteWorkers(plan: Plan, all: readonly Module[]): boolean {
  let isThere = false;
  for (const module of all) {
    walk(module.tree.program, (node) => {
      if (node.type !== 'NewExpression') return;
      const imported = importedAs(module, node.callee);
      if (imported?.name !== 'Worker' || !['bullmq', 'bull'].includes(imported.from)) return;
      isThere = true;
      plan.note(
        `${module.name}:${node.loc?.start.line} creates a worker of BullMQ that later lines cannot refer to: see docs/workers.md for the two lines`,
      );
    });
  }
  return isThere;
}

/** Gives a process that only consumes queues its endpoints, and a shutdown that loses no job. */
export function attachWorker(
  plan: Plan,
  project: Project,
  modules: Modules,
  workers: readonly Worker[],
  clients: readonly Client[],
): boolean {
  const last = workers.at(-1);
  if (last === undefined) return false;
  const { module, statement, block } = last;
  const own = workers.filter((worker) => worker.module === module && worker.block === block);
  if (own.length < workers.length)
    plan.note(
      `Workers are created in several places: only those of ${module.name} are stopped when the process drains`,
    );
  const handed = reachable(plan, modules, { module, around: last.around }, statement, clients);
  const hasHandlers = /\bprocess\s*\.\s*(?:on|once)\s*\(\s*['"]SIG(?:TERM|INT)/.test(module.text);
  const { semicolon } = styleOf(module);
  const creation = healthLine(
    module,
    undefined,
    handed,
    names(module, handed),
    project.directory,
    !hasHandlers,
  );
  const drain = freeName(module, 'drainOnSignals');
  const stop = own.length === 1 ? last.name : `[${own.map(({ name }) => name).join(', ')}]`;
  const lines = [creation];
  if (hasHandlers)
    plan.note(
      `${module.name} handles SIGTERM itself: call drainOnSignals of lifesign/worker instead, and it closes the worker and waits for its jobs`,
    );
  else lines.push(`${drain}(${freeName(module, 'health', 'lifesign')}, { stop: ${stop} })${semicolon}`);
  const change = plan.of(module.path, module.text);
  addImports(
    plan,
    project,
    module,
    'worker',
    handed,
    startOf(last.top),
    hasHandlers ? {} : { drainOnSignals: drain },
  );
  const { at, text } = lineBehind(module, statement, lines.join('\n'));
  change.insert(at, text, 'serves the health endpoints on PORT, and lets running jobs finish on SIGTERM');
  return true;
}
