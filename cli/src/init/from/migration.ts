import type { Application } from '../applications.js';
import type { Plan } from '../changes.js';
import type { Client } from '../clients.js';
import type { Module, Modules } from '../modules.js';
import type { Project } from '../project.js';
import type { Node } from '../syntax.js';

/** The input of a migration. */
export interface Old {
  readonly plan: Plan;
  readonly project: Project;
  readonly modules: Modules;
  /** The packages that are replaced, the usual name first. */
  readonly packages: readonly string[];
  /** The modules that import one of them. */
  readonly users: readonly Module[];
  /** The applications that may serve the requests, and the only one of them. */
  readonly applications: readonly Application[];
  readonly application: Application | undefined;
  readonly all: readonly Module[];
  readonly clients: readonly Client[];
  /** Reports the rest that is left to the user, with its place and the guide. */
  readonly leave: (module: Module, node: Node | undefined, what: string) => void;
}

/** Changes the code; false if nothing could be changed. */
export type Migrate = (old: Old) => boolean;

/** A member of an object of options. */
export interface Option {
  readonly member: Node;
  /** Its value; of a method that is the method. */
  readonly value: Node;
}

/** The members of an object by their names; undefined if some are not written there. */
export function optionsOf(node: Node | undefined): Map<string, Option> | undefined {
  if (node === undefined) return new Map();
  if (node.type !== 'ObjectExpression') return undefined;
  const options = new Map<string, Option>();
  for (const member of node.properties) {
    if (member.type === 'SpreadElement' || member.computed) return undefined;
    if (member.type === 'ObjectMethod' && (member.kind !== 'method' || member.generator)) return undefined;
    const { key } = member;
    if (key.type !== 'Identifier' && key.type !== 'StringLiteral') return undefined;
    const value = member.type === 'ObjectMethod' ? member : member.value;
    options.set(key.type === 'Identifier' ? key.name : key.value, { member, value });
  }
  return options;
}
