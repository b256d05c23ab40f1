// The options under which lifesign is measured, by the name that a subject gives them.
const lean = { summary: false, requestContext: false };
export const options = {
  default: {},
  lean,
  context: { summary: false },
  summary: { requestContext: false },
  metrics: { ...lean, metrics: true },
  watchdog: { ...lean, watchdog: { port: 0 } },
};

/** As the rows of the tables show them. */
export const shown = {
  default: 'default options',
  lean: '`summary: false, requestContext: false`',
  context: '`summary: false`',
  summary: '`requestContext: false`',
  metrics: '`metrics: true`',
  watchdog: '`watchdog: { port: 0 }`',
};
