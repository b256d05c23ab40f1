import type { Change } from '../changes.js';
import type { Module } from '../modules.js';
import { type Node, endOf, startOf } from '../syntax.js';

type ObjectNode = Extract<Node, { type: 'ObjectExpression' }>;

const nameOf = (member: ObjectNode['properties'][number]): string =>
  member.type !== 'SpreadElement' && member.key.type === 'Identifier' ? member.key.name : '';

/** Removes members of an object, each with its line. */
export function removeMembers(
  change: Change,
  module: Module,
  object: ObjectNode,
  names: readonly string[],
  reason: string,
): void {
  removeItems(change, module, object.properties, (member) => names.includes(nameOf(member)), reason);
}

/** Removes items of a list, each with its line. */
export function removeItems<T extends Node>(
  change: Change,
  { text }: Module,
  items: readonly T[],
  isRemoved: (item: T) => boolean,
  reason: string,
): void {
  for (const [index, item] of items.entries()) {
    if (!isRemoved(item)) continue;
    const next = items[index + 1];
    const kept = items.slice(0, index).findLast((one) => !isRemoved(one));
    const lineStart = text.lastIndexOf('\n', startOf(item) - 1) + 1;
    const rest = /^\s*,?[ \t]*(?:\/\/[^\r\n]*)?\r?\n/.exec(text.slice(endOf(item)))?.[0];
    const hasOwnLine = /^[ \t]*$/.test(text.slice(lineStart, startOf(item))) && rest !== undefined;
    const hasComma = /^\s*,/.test(text.slice(endOf(item)));
    if (hasOwnLine && (hasComma || kept === undefined))
      change.remove(lineStart, endOf(item) + rest.length, reason);
    else if (next !== undefined) change.remove(startOf(item), startOf(next), reason);
    else change.remove(kept === undefined ? startOf(item) : endOf(kept), endOf(item), reason);
  }
}
