/** Files that `npm test` leaves out for good: `npm run test:all` has them. */
export const leftOut: readonly RegExp[] = [
  // Suites of their own.
  /^test\/(?:attack|brokers|clients|incidents|site|tools)\//,
  /^test\/hosts\/(?:adonis7|consumers)\//,
  /^test\/auto\/frameworks\//,
  /^test\/package\/(?:jest|typescript)\./,
  // Of attacks and limits, which take seconds each: `npm run test:attack` has them, or the machine is busy with nothing else.
  /^test\/checks\/(?:holes|starved)\.service/,
  /^test\/probes\/(?:attacked|busy)\.service/,
  /^test\/faults\/(?:leak|page|pgbouncer|pipelining|surroundings)\./,
  /^cli\/test\/(?:hostile|serve-limits|verify-growth|verify-mutations|(?:doctor|fleet)\/limits)\./,
  // Clients, brokers and views that go the way of their neighbours.
  /^test\/checks\/(?:mikro7|second-opinion\/(?:mariadb|settings|strangers)|brokers\/(?:nats|pg-boss))\.service/,
  /^(?:cli\/test\/fleet\/page|test\/page\/states)\.browser/,
  /^cli\/test\/(?:fleet\/fleet|init\/init|wait\/wait)\.service/,
  // Processes in surroundings that few have.
  /^test\/watchdog\/(?:company|harmless|stacks)\./,
  /^test\/auto\/(?:children|drain-handlers)\./,
  /^test\/logging\/stdout\/stdout-(?:lines|runners)\.process/,
  /^test\/hosts\/otel\/identity\./,
  /^test\/probes\/peers-served\./,
  /^test\/container\/(?:agreement|container)\./,
];

export const isLeftOut = (file: string): boolean => leftOut.some((pattern) => pattern.test(file));
