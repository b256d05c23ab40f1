import { type Level, levels, type Status, statusOf } from '../core/messages.js';
import { age, count } from './format.js';
import { type Html, markup } from './html.js';
import { barLength } from './view.js';

/** A shape for each status, for those who cannot tell the colours apart. */
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
export function ago(at: number, now: number): Html {
  return markup`<time datetime="${new Date(at).toISOString()}" data-age>${age(now - at)}</time>`;
}

/** Text of strangers, whichever way it is written. */
export function foreign(text: string): Html {
  return markup`<bdi>${text}</bdi>`;
}

const all: readonly Level[] = [0, 10, 20, 30, 40, 50];
const height = 20;

/** The last results as a bar, the newest at the right: the worse, the higher. */
export function bar(results: readonly Level[]): Html {
  const shown = results.slice(-barLength);
  const first = barLength - shown.length;
  const said: string[] = [];
  const paths = all.map((level) => {
    const at = shown.flatMap((one, index) => (one === level ? [first + index] : []));
    if (at.length === 0) return undefined;
    said.push(`${at.length} ${statusOf(level)}`);
    const top = level >= 40 ? 0 : level === 30 ? 4 : 10;
    const strokes = at.map((x) => `M${x * 4} ${top}h3v${height - top}h-3z`).join('');
    return markup`<path class="${statusOf(level)}" d="${strokes}"/>`;
  });
  const label = `Last ${count(shown.length, 'result')}: ${said.join(', ')}`;
  const width = barLength * 4 - 1;
  return markup`<svg class="bar" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">
<title>${label}</title><path class="track" d="M0 ${height - 1}h${width}v1H0z"/>${paths}</svg>`;
}
