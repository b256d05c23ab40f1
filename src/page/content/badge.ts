import { markup } from './html.js';
import type { View } from './view.js';

const colours = {
  ok: '#1a7f46',
  debug: '#1a7f46',
  info: '#1a7f46',
  warning: '#8a5a00',
  error: '#b3261e',
  critical: '#7d1128',
  'no heartbeat yet': '#5a6270',
  'out of date': '#5a6270',
} as const;

/** Width of a letter of the badge's font, on average; `textLength` makes it exact. */
const letter = 7;
const margin = 6;

/** A small picture of the status, for READMEs and dashboards. */
export function badge({ state, stale }: View): string {
  const label = 'health';
  const status = stale ? 'out of date' : (state?.status ?? 'no heartbeat yet');
  const left = label.length * letter + 2 * margin;
  const right = status.length * letter + 2 * margin;
  const title = `${label}: ${status}`;
  const text = (x: number, word: string) =>
    markup`<text x="${x + margin}" y="14" textLength="${word.length * letter}">${word}</text>`;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><path fill="#3b424c" d="M0 0h${left}v20H0z"/><path fill="${colours[status]}" d="M${left} 0h${right}v20h-${right}z"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(0, label)}${text(left, status)}</g>
</svg>`.toString();
}
