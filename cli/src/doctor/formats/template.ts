import type { Tree } from '../tree.js';

/** The placeholder for a value that only Helm knows. A dollar, as in a variable: rules take it for unknown. */
export const hole = '$hole';

const action = /\{\{-?\s*([^]*?)\s*-?\}\}/g;
const control = /^(?:\/\*|(?:if|else|end|range|with|define|block|break|continue)\b|\$[\w]+\s*:?=)/;

export const isTemplate = (text: string): boolean => text.includes('{{');

/**
 * A Helm template with its holes filled, so that it is YAML with the same lines. An action with a line of its own becomes a
 * key, because it may bring anything; without `keys` it becomes an empty line.
 */
export function filled(template: string, keys = true): string {
  // An action over several lines becomes one, and the lines below keep their numbers.
  const single = template.replace(action, (whole) => {
    const breaks = whole.split('\n').length - 1;
    return breaks === 0 ? whole : `${whole.replace(/\s*\n\s*/g, ' ')}${'\n'.repeat(breaks)}`;
  });
  let number = 0;
  return single
    .split('\n')
    .map((line) => {
      if (!line.includes('{{')) return line;
      const rest = line.replace(action, '').trim();
      if (rest !== '' && !rest.startsWith('#')) {
        return line.replace(action, (_, inner: string) => (control.test(inner) ? '' : hole));
      }
      const outputs = [...line.matchAll(action)].filter(([, inner = '']) => !control.test(inner));
      const [, inner = ''] = outputs[0] ?? [];
      if (outputs.length === 0 || !keys) return '';
      const indent = /\bn?indent\s+(\d{1,2})/.exec(inner)?.[1];
      number += 1;
      return `${' '.repeat(indent === undefined ? line.search(/\S/) : Number(indent))}${hole}${number}: ${hole}`;
    })
    .join('\n');
}

/** Whether a template inserts content here. */
export function isOpen(tree: Tree | undefined): boolean {
  if (typeof tree?.scalar === 'string') return tree.scalar.includes(hole);
  return tree?.entries().some(([name]) => name.startsWith(hole)) === true;
}
