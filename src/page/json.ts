import type { CheckHistory, Transition } from './history.js';
import type { LoopBlock } from '../core/loop.js';
import { type Finding } from '../core/heartbeat/messages.js';
import { statusOf } from '../core/heartbeat/result.js';
import { barLength, clip } from './html.js';
import type { View } from './view.js';

/** Limits: messages of each check, changes of each transition, and characters of each text. */
const maxMessages = 20;
const maxChanges = 50;
const maxTextLength = 1000;

/** The page's data as JSON. Times are ISO 8601, durations milliseconds; `null` means unknown. */
export function dataOf(view: View): string {
  const { state, version, details, withTexts } = view;
  return JSON.stringify({
    status: state?.status ?? null,
    level: state?.level ?? null,
    failed: state === undefined ? null : view.failed,
    since: time(state?.since),
    heartbeat: time(view.heartbeat),
    stale: view.stale,
    draining: view.draining,
    now: time(view.now),
    version: version ?? null,
    ...(details !== undefined && {
      process: { ...details.process, started: time(details.process.started) },
      checks: details.checks.map((check) => checkOf(check, withTexts)),
      ...(details.block !== undefined && { eventLoop: blockOf(details.block, withTexts) }),
    }),
    transitions: view.transitions.map((transition) => transitionOf(transition, view)),
  });
}

function blockOf({ since, blockedFor, culprit, stack, noStack }: LoopBlock, withTexts: boolean): object {
  const bare = { since: time(since), blockedFor };
  return withTexts ? { ...bare, culprit, stack, noStack } : bare;
}

function checkOf(check: CheckHistory, withTexts: boolean): object {
  const { name, status, level, since, duration, p50, p99 } = check;
  return {
    name,
    status,
    level,
    since: time(since),
    ...(check.verdict && { scope: check.verdict.scope, evidence: check.verdict.evidence }),
    messages: check.messages.slice(0, maxMessages).map((message) => messageOf(message, withTexts)),
    duration: round(duration),
    p50: round(p50),
    p99: round(p99),
    results: check.results.slice(-barLength),
  };
}

function transitionOf({ at, from, to, changes, report }: Transition, view: View): object {
  const bare = { at: time(at), from: from ?? null, to };
  if (view.details === undefined) return bare;
  const shown = changes.slice(0, maxChanges).map((change) => ({
    ...change,
    from: change.from ?? null,
    messages: change.messages.map((message) => messageOf(message, view.withTexts)),
  }));
  return { ...bare, changes: shown, report: report ?? null };
}

function messageOf({ id, level, text, hint }: Finding, withTexts: boolean): object {
  return {
    id,
    status: statusOf(level),
    level,
    ...(withTexts && {
      text: clip(text, maxTextLength),
      ...(hint !== undefined && { hint: clip(hint, maxTextLength) }),
    }),
  };
}

const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
const round = (ms: number) => Math.round(ms * 100) / 100;
