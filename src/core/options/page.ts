import type { Declares, Values } from './declaration.js';
import type { Filled } from './filled.js';
import { pagePath } from './uncommon-rules.js';

/** Options of the health page. Each is also read from `HEALTH_PAGE_` + its name in capitals. */
export interface PageOptions {
  /** Where it is served. Default `/__health__`. */
  readonly path?: string | undefined;
}

/** The same with every default filled in. */
export type ResolvedPage = Filled<PageOptions>;

const parts = () =>
  ({
    path: [pagePath, '/__health__'],
  }) satisfies Declares<PageOptions>;

/** @internal */
export const page = () => ({
  parts: parts(),
  example: '{ path: "/ops/health" }',
  resolve: (values: Values<ReturnType<typeof parts>>): ResolvedPage => values,
});
