import type { Declares, Values } from './declaration.js';
import type { Filled } from './filled.js';
import { flag, functionOf, pathsOrFunction, sampleRate } from './rules.js';

/**
 * A function of a request. Bivariant, as methods are: a type that says more of the request, such as a session, is taken.
 */
export type Of<Request, T> = { of(request: Request): T }['of'];

/**
 * Options of the request summaries; `FrameworkRequest` is the request of the framework. Each but `fields` is also read from `HEALTH_SUMMARY_` + its
 * name in capitals.
 */
export interface SummaryOptions<FrameworkRequest = unknown> {
  /** Whether requests to the three endpoints are logged too; a number from 0 to 1 logs that share of the successful ones and every failed one. Default true. */
  readonly healthEndpoints?: boolean | number | undefined;
  /** Whether the query string is included. Default false. */
  readonly querystring?: boolean | undefined;
  /**
   * Requests without a summary: paths such as `/metrics` or `/static/*`, or a function of the request that returns
   * true, or a number from 0 to 1 for the share to omit. Responses with 500 and above are always logged. Default: none.
   */
  readonly ignore?: readonly string[] | Of<FrameworkRequest, boolean | number> | undefined;
  /** Your own fields for each summary: at most 20 strings, numbers or booleans. Default: none. */
  readonly fields?:
    | Of<FrameworkRequest, Readonly<Record<string, string | number | bigint | boolean | null | undefined>>>
    | undefined;
}

/** The same with every default filled in. */
export interface ResolvedSummary<FrameworkRequest = unknown> extends Filled<
  Omit<SummaryOptions<FrameworkRequest>, 'fields'>
> {
  readonly fields: SummaryOptions<FrameworkRequest>['fields'];
}

/** @internal */
const parts = {
  healthEndpoints: [sampleRate, true],
  querystring: [flag, false],
  ignore: [pathsOrFunction, []],
  fields: [functionOf('the request and returns an object'), undefined],
} satisfies Declares<SummaryOptions<never>>;

/** @internal */
export const summary = {
  name: 'summary',
  parts,
  askedBy: [],
  isOn: true,
  example: '{ ignore: ["/metrics"] }',
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the rules saw that they are functions, the caller's type says of which request
  resolve: (values: Values<typeof parts>): ResolvedSummary<never> => values as ResolvedSummary<never>,
};
