import { type Level, type Status, statusOf } from '../core/heartbeat/result.js';
import { levels } from '../core/heartbeat/messages.js';

/** Markup that is safe to send: made only by `markup`. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** A value of a template: text is escaped, markup is not, undefined and false print nothing. */
export type Slot = string | number | Html | undefined | false | readonly Slot[];

/**
 * Markup from a template. Values are escaped unless they are markup themselves.
 *
 * @example markup`<p title="${message}">${message}</p>`
 */
export function markup(parts: TemplateStringsArray, ...slots: readonly Slot[]): Html {
  return new Html(parts.reduce((text, part, index) => text + renderSlot(slots[index - 1]) + part));
}

function renderSlot(slot: Slot): string {
  if (slot === undefined || slot === false) return '';
  if (slot instanceof Html) return slot.toString();
  if (typeof slot === 'object') return slot.map(renderSlot).join('');
  if (typeof slot === 'number') return String(slot);
  return escape(slot);
}

/** Text for an element or a quoted attribute. Characters that HTML cannot carry become replacement characters. */
function escape(text: string): string {
  return text
    .replace(/\p{Cs}|[^\P{Cc}\n\t]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

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

/** The name of a status, with its colour and shape. */
export function pill(status: Status): Html {
  const level = status === 'ok' ? 0 : levels[status];
  return markup`<span class="pill ${status}"${level > 0 && markup` title="level ${level}"`}><i aria-hidden="true">${glyphs[status]}</i>${status}</span>`;
}

/** A moment: the script turns it into local time. */
export function clock(at: string): Html {
  return markup`<time datetime="${at}" title="${at}">${at.slice(0, 10)} ${at.slice(11, 19)} UTC</time>`;
}

/** How long ago a moment is: the script keeps counting. */
export function ago(at: string | number, now: number): Html {
  const date = new Date(at);
  return markup`<time datetime="${date.toISOString()}" data-age>${age(now - date.getTime())}</time>`;
}

/** Untrusted text, in any script. */
export function foreign(text: string): Html {
  return markup`<bdi>${text}</bdi>`;
}

const all: readonly Level[] = [0, 10, 20, 30, 40, 50];
/** Width of a result in a bar, including the gap after it, and the height of all. */
const step = 4;
const height = 20;

export const barLength = 60;

/** The last results as a bar, the newest at the right: the worse, the higher. */
export function bar(results: readonly Level[]): Html {
  const shown = results.slice(-barLength);
  const first = barLength - shown.length;
  const counts: string[] = [];
  const paths: Html[] = [];
  for (const level of all) {
    const { many, lines } = runLines(shown, level, first);
    if (many === 0) continue;
    counts.push(`${many} ${statusOf(level)}`);
    paths.push(markup`<path class="${statusOf(level)}" d="${lines}"/>`);
  }
  const label = `Last ${count(shown.length, 'result')}: ${counts.join(', ')}`;
  const width = barLength * step - 1;
  return markup`<svg class="bar" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">
<title>${label}</title><path class="track" d="M0 ${height}h${width}"/>${paths}</svg>`;
}

/** One line for consecutive results of the same level: the style dashes it into single results. */
function runLines(results: readonly Level[], level: Level, first: number): { many: number; lines: string } {
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

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A span of time for people: `<0.1 ms`, `0.4 ms`, `12 ms`, `1.2 s`, `45 s`, `4 min`, `2 h 5 min`, `3 d 4 h`. */
export function span(ms: number): string {
  if (ms < 0.05) return '<0.1 ms';
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  return age(ms);
}

/** How long ago something was, in whole seconds at least: `0 s`, `45 s`, `4 min`, `3 d 4 h`. */
export function age(ms: number): string {
  if (ms < minute) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < day) return two(ms, hour, 'h', minute, 'min');
  return two(ms, day, 'd', hour, 'h');
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** A count and its noun: `1 check`, `7 checks`. */
export function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`;
}
