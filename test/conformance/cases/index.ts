import type { Case } from '../case.js';
import { groupCases } from './groups.js';
import { heartbeat } from './heartbeat.js';
import { leaving } from './leaving.js';
import { lbheartbeat } from './lbheartbeat.js';
import { logging } from './logging.js';
import { metricsCases } from './metrics.js';
import { misbehaviour } from './misbehaviour.js';
import { prefixCases } from './prefix.js';
import { probeCases } from './probes.js';
import { recordedCases } from './recorded.js';
import { requests } from './requests.js';
import { summary } from './summary.js';
import { targets } from './targets.js';
import { version } from './version.js';

/** The contract, case by case: every framework runs all of them. */
export const cases: readonly Case[] = [
  ...lbheartbeat,
  ...version,
  ...heartbeat,
  ...groupCases,
  ...probeCases,
  ...metricsCases,
  ...prefixCases,
  ...misbehaviour,
  ...requests,
  ...targets,
  ...summary,
  ...leaving,
  ...logging,
];

export { recordedCases };
