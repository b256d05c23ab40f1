/** Every old name of an option with the code of its warning and its present name. Variables, settings, docs and `lifesign-cli deprecations` follow from it. @internal */
export const renamed = {
  pagePath: [1, 'page.path'],
  summaryHealthEndpoints: [2, 'summary.healthEndpoints'],
  summaryLogQuerystring: [2, 'summary.querystring'],
  summaryIgnore: [2, 'summary.ignore'],
  summaryFields: [2, 'summary.fields'],
  summaryTraceback: [2, 'summary.traceback'],
  'probes.failAfter': [3, 'probes.failureThreshold'],
  'probes.passAfter': [3, 'probes.successThreshold'],
  'check.failAfter': [3, 'check.failureThreshold'],
  'check.passAfter': [3, 'check.successThreshold'],
  'drainOnSignals.drainDelay': [5, 'drainOnSignals.delay'],
  'drainOnSignals.drainTimeout': [5, 'drainOnSignals.timeout'],
} as const satisfies Readonly<Record<string, readonly [code: number, now: string]>>;

/** An old name; those of options of a feature, a check or a function have its name before them. @internal */
export type OldName = keyof typeof renamed;

/** Options by their names. */
export type Values = Readonly<Record<string, unknown>>;

/** Options of features, by the name of the feature. */
export type Parts = Readonly<Record<string, Values>>;
