// The trivial checks of every subject.

/** `count` checks, asynchronous or not, for a Health. */
export function addChecks(health, count, asynchronous = true) {
  for (let index = 0; index < count; index += 1) {
    health.check(`check_${index}`, asynchronous ? async () => [] : () => []);
  }
  return health;
}

/** The same for peers: three functions that resolve at once. */
export const ready = async () => {};
export const body = { hello: 'world' };
