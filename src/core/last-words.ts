import { shared } from './shared.js';

/** Who writes down why the process ends: the watchdog, if it is on. What is said must be without secrets. */
export const lastWords: { say?: ((words: string) => void) | undefined } = /* @__PURE__ */ shared(
  'lastWords',
  () => ({}),
);
