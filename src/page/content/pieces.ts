import { type Level, levels, type Status, statusOf } from '../../core/heartbeat/messages.js';
import { age, count } from './format.js';
import { type Html, markup } from './html.js';
import { barLength, type View } from './view.js';

/** A shape for each status, for readers who cannot distinguish the colours. */
export const glyphs: Readonly<Record<Status | 'unknown', string>> = {
  ok: '✓',
  debug: '✓',
  info: 'i',
  warning: '!',
  error: '✕',
  critical: '✕',
  unknown: '?',
};

/** The word for a status, with its colour and shape. */
export function pill(status: Status): Html {
  const level = status === 'ok' ? 0 : levels[status];
  return markup`<span class="pill ${status}"${level > 0 && markup` title="level ${level}"`}><i aria-hidden="true">${glyphs[status]}</i>${status}</span>`;
}

/** A moment: the script turns it into local time. */
export function clock(at: number): Html {
  const iso = new Date(at).toISOString();
  const words = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return markup`<time datetime="${iso}" title="${iso}">${words}</time>`;
}

/** How long ago a moment is: the script keeps counting. */
export function ago(at: number, { now }: View): Html {
  return markup`<time datetime="${new Date(at).toISOString()}" data-age>${age(now - at)}</time>`;
}

/** Untrusted text, in any script. */
export function foreign(text: string): Html {
  return markup`<bdi>${text}</bdi>`;
}

const all: readonly Level[] = [0, 10, 20, 30, 40, 50];
/** Width of a result in a bar, including the gap after it, and the height of all. */
const step = 4;
const height = 20;

/** The last results as a bar, the newest at the right: the worse, the higher. */
export function bar(results: readonly Level[]): Html {
  const shown = results.slice(-barLength);
  const first = barLength - shown.length;
  const said: string[] = [];
  const paths: Html[] = [];
  for (const level of all) {
    const { many, lines } = runsOf(shown, level, first);
    if (many === 0) continue;
    said.push(`${many} ${statusOf(level)}`);
    paths.push(markup`<path class="${statusOf(level)}" d="${lines}"/>`);
  }
  const label = `Last ${count(shown.length, 'result')}: ${said.join(', ')}`;
  const width = barLength * step - 1;
  return markup`<svg class="bar" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">
<title>${label}</title><path class="track" d="M0 ${height}h${width}"/>${paths}</svg>`;
}

/** One line for consecutive results of the same level: the style dashes it into single results. */
function runsOf(results: readonly Level[], level: Level, first: number): { many: number; lines: string } {
  const thickness = level >= 40 ? height : level === 30 ? 15 : 10;
  let many = 0;
  let lines = '';
  for (let index = 0; index < results.length; index += 1) {
    const start = index;
    while (results[index] === level) index += 1;
    const length = index - start;
    if (length === 0) continue;
    many += length;
    lines += `M${(first + start) * step} ${height - thickness / 2}h${length * step - 1}`;
  }
  return { many, lines };
}
