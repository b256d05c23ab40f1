// Parts of logging/ on edge workers, which have no NestJS, and where a summary is written like any other record.
import type * as nest from '../logging/nest/adopt.js';
import type * as summary from '../logging/line/summary-json.js';
import { silent } from '../core/log.js';

type NestLogger = Parameters<typeof nest.fromNest>[0];

export const isNest = (_value: unknown): _value is NestLogger => false;
export const fromNest: typeof nest.fromNest = () => silent;
export const summaryJson: typeof summary.summaryJson = () => undefined;
