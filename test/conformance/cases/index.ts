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

/** What a framework carries: requests, their ids and summaries; with the recorded answers. */
export const carriedCases: readonly Case[] = [
  ...lbheartbeat,
  ...requests,
  ...targets,
  ...prefixCases,
  ...summary,
  ...leaving,
  ...logging,
];

/** What the core decides, whoever writes it. */
const coreCases: readonly Case[] = [
  ...version,
  ...heartbeat,
  ...groupCases,
  ...probeCases,
  ...metricsCases,
  ...misbehaviour,
];

/** The contract, case by case. */
export const cases: readonly Case[] = [...carriedCases, ...coreCases];

export { recordedCases };
