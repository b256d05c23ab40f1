import type { Module } from '../modules.js';
import { type Node, endOf, startOf, statementAround, walk } from '../syntax.js';

const isBlock = ({ type }: Node): boolean => type === 'BlockStatement' || type === 'Program';

/** The block that contains a node. */
export const blockOf = (around: readonly Node[]): Node | undefined => around.findLast(isBlock);

/** Whether code in one place can refer to a declaration in another place. */
export function isVisible(declared: readonly Node[], used: readonly Node[]): boolean {
  const block = blockOf(declared);
  return block !== undefined && used.includes(block);
}

/** Whether code means the same at an earlier place: nothing that it refers to is declared later. */
export function canStandAt(module: Module, code: Node, at: number, around: readonly Node[]): boolean {
  const names = new Set<string>();
  walk(code, (node, outer) => {
    const parent = outer.at(-1);
    const isMember = parent?.type === 'MemberExpression' && parent.property === node && !parent.computed;
    if (node.type === 'Identifier' && !isMember) names.add(node.name);
  });
  let isGood = true;
  walk(module.tree.program, (node, outer) => {
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || !names.has(node.id.name))
      return;
    const place = statementAround(node, outer);
    const isEarlier = place !== undefined && endOf(place.statement) <= at && around.includes(place.block);
    if (!isEarlier && !(startOf(code) <= startOf(node) && endOf(node) <= endOf(code))) isGood = false;
  });
  return isGood;
}
