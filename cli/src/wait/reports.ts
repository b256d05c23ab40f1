import { type Io, painter, printable, printableJson } from '../../../src/tools.js';
import type { Target } from './target.js';

/** How the wait ended. */
export interface Outcome {
  readonly done: boolean;
  /** Milliseconds. */
  readonly took: number;
  /** The conditions as text: `run 4ba5f2e and are healthy`. */
  readonly wanted: string;
  readonly holdFor: number;
  readonly targets: readonly Target[];
}

/** As short as `30s`, `2m 5s`, `1h 3m`. */
export function shortTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return [`${minutes}m`, seconds % 60 && `${seconds % 60}s`].filter(Boolean).join(' ');
  return [`${Math.floor(minutes / 60)}h`, minutes % 60 && `${minutes % 60}m`].filter(Boolean).join(' ');
}

/** Good responses count on a line once they have lasted this long: a load balancer that alternates must not cause a line every second. */
const settled = 3000;

const isGood = (target: Target, now: number, holdFor: number) =>
  (target.goodFor(now) ?? -1) >= Math.min(settled, holdFor);

/** `2 of 3: https://api still runs 4ba5f2e, heartbeat 500: check_migrations_applied`. */
export function stateLine(targets: readonly Target[], now: number, holdFor: number): string {
  const bad = targets.filter((target) => !isGood(target, now, holdFor));
  const count = `${targets.length - bad.length} of ${targets.length}`;
  if (bad.length === 0) return `${count}, must hold for ${shortTime(holdFor)}`;
  const more = bad.length > shownAtOnce ? `; and ${bad.length - shownAtOnce} more` : '';
  const texts = bad.slice(0, shownAtOnce).map((target) => `${target.name} ${target.missing().join(', ')}`);
  return printable(`${count}: ${texts.join('; ')}${more}`);
}

const shownAtOnce = 5;

/** Whether a target is as it was waited for: good answers that have not lasted are not enough. */
function isReady({ done, holdFor }: Outcome, target: Target): boolean {
  return done || (target.goodFor(performance.now()) ?? -1) >= holdFor;
}

/** Every target with its last state. */
function lastSeen(outcome: Outcome): readonly { name: string; ok: boolean; text: string }[] {
  return outcome.targets.map((target) => {
    const ok = isReady(outcome, target);
    const state = ok ? 'ok' : target.missing().join(', ');
    return { name: target.name, ok, text: [state, buildsOf(target)].filter(Boolean).join('; ') };
  });
}

/** Only if several builds answered: `4ba5f2e answered 12 times, 1c9d2aa 3 times`. */
function buildsOf({ builds }: Target): string {
  if (builds.size < 2) return '';
  return [...builds]
    .map(([build, times]) => `${build} answered ${times} ${times === 1 ? 'time' : 'times'}`)
    .join(', ');
}

function headline(outcome: Outcome): string {
  const { done, took, wanted, holdFor, targets } = outcome;
  const ready = targets.filter((target) => isReady(outcome, target)).length;
  const held = holdFor > 0 ? ` for ${shortTime(holdFor)}` : '';
  return `${done ? 'done' : 'timed out'} after ${shortTime(took)}: ${ready} of ${targets.length} ${wanted}${held}`;
}

/** For people. */
export function summary(outcome: Outcome, io: Io): string {
  const paint = painter(io, io.stdout);
  const title = paint(outcome.done ? 'green' : 'red', headline(outcome));
  if (outcome.done) return `${title}\n`;
  const lines = lastSeen(outcome).map(({ name, ok, text }) =>
    printable(`  ${ok ? '✓' : '✗'} ${name}  ${text}`),
  );
  return `${title}\n\n${lines.join('\n')}\n`;
}

/** For programs. */
export function json(outcome: Outcome): string {
  const { done, took, targets } = outcome;
  const services = targets.map((target) => {
    const ok = isReady(outcome, target);
    const { name, answers, builds } = target;
    return {
      url: name,
      ok,
      missing: ok ? [] : target.missing(),
      answers,
      builds: Object.fromEntries(builds),
    };
  });
  return printableJson({ done, took: Math.round(took), services });
}

/** A text of others in a table of Markdown. */
function cell(text: string): string {
  return printable(text)
    .replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/[|\\`*_[\]~]/g, '\\$&');
}

/** For the summary page of a run of GitHub Actions. */
export function markdown(outcome: Outcome): string {
  const rows = lastSeen(outcome).map(
    ({ name, ok, text }) => `| ${cell(name)} | ${ok ? '✅' : '❌'} ${cell(text)} |`,
  );
  return `### lifesign-cli wait\n\n${cell(headline(outcome))}\n\n| service | last seen |\n|---|---|\n${rows.join('\n')}\n\n`;
}
