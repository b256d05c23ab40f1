import { shared } from '../../core/shared.js';

/** Shows the watchdog's thread whether half a line is written: it must not write into it. */
export const midLine: { onChange?: (cut: boolean) => void } = /* @__PURE__ */ shared('midLine', () => ({}));
