import type { Route } from '../endpoints.js';
import type { Feature } from '../feature.js';
import { checkUnknown, nearest, shown } from '../options/errors.js';
import { clean } from '../scrub/scrub.js';
import type { GroupsByName } from './check.js';
import { Error as ErrorMessage, levels, maxNameLength } from './messages.js';
import { CheckRuns, type RegisteredCheck } from './run.js';
import * as messageIds from './message-ids.js';

type Checks = () => readonly RegisteredCheck[];

/**
 * Parts of the checks, each served at `/__heartbeat__/` + its name, in all as the heartbeat is. A heartbeat of a part is not one of
 * the application: no signal is emitted.
 */
export function groupsOf<Request>(
  groups: GroupsByName,
  all: Checks,
  routeOf: (name: string, members: Checks) => Route<Request>,
): Feature<Request> {
  const parts = Object.entries(groups).map(([name, checks]) => ({
    name,
    // As the registry has them.
    names: checks.map((check) => clean(check, maxNameLength)),
  }));
  return {
    routes: parts.map(({ name, names }) => routeOf(name, groupMembers(names, all))),
    requireKnownChecks() {
      const known = all().map((check) => check.name);
      for (const { name, names } of parts) {
        const [unknown] = unknownIn(names, all());
        if (unknown !== undefined) throw checkUnknown(`Group ${shown(name)} names`, unknown, known);
      }
    },
  };
}

const unknownIn = (names: readonly string[], all: readonly RegisteredCheck[]) =>
  names.filter((name) => !all.some((check) => check.name === name));

/** The checks of one group, in the order of their registration: the same list until one is registered. */
function groupMembers(names: readonly string[], all: Checks): Checks {
  let from: readonly RegisteredCheck[] | undefined;
  let members: readonly RegisteredCheck[] = [];
  return () => {
    const checks = all();
    if (from !== checks) {
      from = checks;
      const missing = unknownIn(names, checks).map((name) => unregistered(name, checks));
      members = [...checks.filter(({ name }) => names.includes(name)), ...missing];
    }
    return members;
  };
}

/** A check that always fails: a slip in a name must not be green. */
function unregistered(name: string, all: readonly RegisteredCheck[]): RegisteredCheck {
  const known = all.map((check) => check.name);
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : `: did you mean ${meant}?`;
  const message = new ErrorMessage(`No check has this name${hint}`, { id: messageIds.notRegistered });
  return {
    name,
    key: JSON.stringify(name),
    run: () => message,
    timeout: undefined,
    maxLevel: levels.critical,
    runs: new CheckRuns(false, 0),
    scope: 'instance',
  };
}
