import type { Module } from '../modules.js';
import { type Node, startOf, walk } from '../syntax.js';
import { indentAt, mark } from '../writing.js';
import { functionText } from './functions.js';

/** Code that is taken over to a line with another indentation; a text over several lines stays as it is. */
export function moved(module: Module, node: Node, indent: string): string {
  const text = functionText(module, node);
  let isFixed = false;
  walk(node, (one) => {
    isFixed ||= one.type === 'TemplateElement' && one.value.raw.includes('\n');
  });
  const own = indentAt(module.text, startOf(node));
  const placed = isFixed ? text : text.replaceAll(`\n${own}`, `\n${indent}`);
  return placed.replaceAll(/\r?\n/g, mark);
}

/** Lines at an indentation, with the line ends of the module. */
export const placed = (lines: readonly string[], indent: string, newline: string): string =>
  lines.join('\n').replaceAll('\n', `${newline}${indent}`).replaceAll(mark, newline);
