/** Set by auto/listen.ts, which loads nothing of the core: what of this process listens already and still starts. */
const key = Symbol.for('lifesign.starting.1');

/** Whether a framework that listens has not started yet: until then, `/startupz` and `/readyz` fail. */
export function isStarting(): boolean {
  const starting: unknown = Reflect.get(globalThis, key);
  return starting instanceof Set && starting.size > 0;
}
