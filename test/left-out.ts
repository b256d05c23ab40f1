/** Files that `npm test` leaves out for good: `npm run test:all` has them. */
export const leftOut: readonly RegExp[] = [
  // Suites of their own.
  /^test\/(?:attack|brokers|clients|incidents|site|tools)\//,
  /^test\/hosts\/(?:adonis7|consumers)\//,
  /^test\/auto\/frameworks\//,
  /^test\/package\/(?:jest|typescript)\./,
  // Of attacks and limits, which take seconds each: `npm run test:attack` has them, or the machine is busy with nothing else.
  /^test\/checks\/databases-held\.service/,
  /^test\/probes\/(?:attacked|busy)\.service/,
  /^test\/faults\/(?:leak|surroundings)\./,
  /^cli\/test\/(?:hostile|verify-growth|(?:doctor|fleet)\/limits|wait\/bounds)\./,
  // Clients, settings, brokers, examples and views that go the way of their neighbours.
  /^test\/checks\/(?:mikro7|second-opinion\/(?:settings|strangers)|brokers\/(?:kafka|nats|pg-boss))\.service/,
  /^test\/examples\/adonisjs\./,
  /^test\/hosts\/dialects\/mariadb\./,
  /^test\/page\/states\.browser/,
  /^cli\/test\/(?:fleet\/fleet|init\/init|wait\/wait)\.service/,
  // Processes in surroundings that few have.
  /^test\/watchdog\/(?:company|harmless|stacks)\./,
  /^test\/auto\/(?:children|drain-handlers)\./,
  /^test\/hosts\/otel\/identity\./,
  /^test\/probes\/peers-served\./,
  /^test\/container\/(?:agreement|container)\./,
  // Of packing, compilers, GitHub's parser and the simulator of contributing/scale.md: seconds of computing for what seldom changes.
  /^cli\/test\/packed\./,
  /^test\/docs\/github\.process/,
  /^test\/docs\/scale\./,
];

export const isLeftOut = (file: string): boolean => leftOut.some((pattern) => pattern.test(file));
