import { shared } from '../shared.js';

/** When the certificate of a check expires, in milliseconds since 1970, as it was last read; by the function that is registered. */
export const certificateExpiries: WeakMap<object, number> = /* @__PURE__ */ shared(
  'certificateExpiries',
  () => new WeakMap(),
);
