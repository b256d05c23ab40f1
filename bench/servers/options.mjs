// The options under which lifesign is measured, by the name that a subject gives them.
const lean = { summary: false, requestContext: false };
export const options = {
  default: {},
  lean,
  context: { summary: false },
  summary: { requestContext: false },
  metrics: { ...lean, metrics: true },
  requests: { ...lean, metrics: { requests: true } },
  counted: { metrics: { requests: true } },
  watchdog: { ...lean, watchdog: { port: 0 } },
};

/** As the rows of the tables show them. */
export const shown = {
  default: 'default options',
  lean: '`summary: false, requestContext: false`',
  context: '`summary: false`',
  summary: '`requestContext: false`',
  metrics: '`metrics: true`',
  requests: '`metrics: { requests: true }`',
  counted: 'default options and `metrics: { requests: true }`',
  watchdog: '`watchdog: { port: 0 }`',
};
