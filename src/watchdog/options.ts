import { optionInvalid } from '../core/options/errors.js';
import { resolveFeature } from '../core/options/feature-options.js';
import { features } from '../core/options/features.js';
import { isRecord } from '../core/objects.js';
import type { ResolvedWatchdog } from '../core/options/watchdog.js';

/** The options of `watchLoop`, checked. */
export function resolveWatchdog(given: unknown, label = 'watchdog'): ResolvedWatchdog {
  const { watchdog } = features;
  if (isRecord(given)) return resolveFeature(watchdog, given, label);
  throw optionInvalid(
    `Option ${label}`,
    given,
    `an object such as ${watchdog.example}`,
    'Fix it or omit it.',
  );
}
