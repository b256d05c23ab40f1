import type { Module } from '../modules.js';
import { type Node, stringOf } from '../syntax.js';
import { textOf } from './functions.js';
import { moved } from './lines.js';
import type { Old, Option } from './migration.js';

/** The options of lightship as those of Health and of drainOnSignals. */
export interface LightshipOptions {
  readonly port: string;
  /** The code of the port: it may have to move. */
  readonly portNode: Node | undefined;
  readonly drain: readonly string[];
}

const counterparts: Readonly<Record<string, string>> = {
  shutdownDelay: 'delay',
  gracefulShutdownTimeout: 'timeout',
  shutdownHandlerTimeout: 'shutdownTimeout',
  signals: 'signals',
  terminate: 'exit',
};

/** Undefined if an option has no counterpart. */
export function lightshipOptions(
  old: Old,
  module: Module,
  options: ReadonlyMap<string, Option>,
  indent: string,
): LightshipOptions | undefined {
  const drain: string[] = [];
  let portNode: Node | undefined;
  for (const [name, { member, value }] of options) {
    const counterpart = counterparts[name];
    if (name === 'port') portNode = value;
    else if (name === 'signals' && !isListOfSignals(value)) {
      old.leave(module, member, 'signals is not a list of names of signals');
      return undefined;
    } else if (counterpart !== undefined)
      drain.push(`${counterpart}: ${moved(module, value, `${indent}  `)}`);
    // The port is the same everywhere.
    else if (name !== 'detectKubernetes') {
      old.leave(module, member, `${name} has no counterpart`);
      return undefined;
    }
  }
  const port =
    portNode === undefined ? 'Number(process.env.LIGHTSHIP_PORT ?? 9000)' : textOf(module, portNode);
  return { port, portNode, drain };
}

const isListOfSignals = (node: Node): boolean =>
  node.type === 'ArrayExpression' && node.elements.every((one) => /^SIG[A-Z0-9]+$/.test(stringOf(one) ?? ''));

/** The paths of lightship, beside those of lifesign. */
export const probes = (quote: string): string =>
  `probes: { live: ['/livez', '/live'], ready: ['/readyz', '/ready', '/health'], startWhen: 'called' }`.replaceAll(
    "'",
    quote,
  );
