// Loaded when lifesign is imported, before the first line loads the rest.

/** Characters that may wait for a reader that does not keep up. */
export const maxWaiting = 8 * 1024 * 1024;

/** A test that stops the clock must not stop the log. */
export const { setTimeout, clearTimeout } = globalThis;
