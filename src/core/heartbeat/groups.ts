import type { Route } from '../endpoints.js';
import type { Feature } from '../feature.js';
import { checkUnknown, nearest, shown } from '../options/errors.js';
import { clean } from '../scrub/scrub.js';
import type { GroupsByName } from './check.js';
import { Error as ErrorMessage, levels, maxNameLength } from './messages.js';
import type { Registry } from './registry.js';
import { OpenRuns, type RegisteredCheck } from './run.js';
import * as messageIds from './message-ids.js';

/**
 * Parts of the checks, each served at `/__heartbeat__/` + its name, in all as the heartbeat is. A heartbeat of a part is not one of
 * the application: no signal is emitted.
 */
export function groupsOf<Request>(
  groups: GroupsByName,
  registry: Pick<Registry, 'checks'>,
  routeOf: (name: string, members: Pick<Registry, 'checks'>) => Route<Request>,
): Feature<Request> {
  const parts = Object.entries(groups).map(([name, checks]) => ({
    name,
    members: new Members(checks, registry),
  }));
  return {
    routes: parts.map(({ name, members }) => routeOf(name, members)),
    requireKnownChecks() {
      const known = registry.checks.map(({ name }) => name);
      for (const { name, members } of parts) {
        const [unknown] = members.unknown();
        if (unknown !== undefined) throw checkUnknown(`Group ${shown(name)} names`, unknown, known);
      }
    },
  };
}

/** The checks of one group, in the order of their registration. One that is not registered fails: a slip must not be green. */
class Members {
  readonly #names: ReadonlySet<string>;
  readonly #registry: Pick<Registry, 'checks'>;
  #of: readonly RegisteredCheck[] | undefined;
  #checks: readonly RegisteredCheck[] = [];

  constructor(names: readonly string[], registry: Pick<Registry, 'checks'>) {
    // As the registry has them.
    this.#names = new Set(names.map((name) => clean(name, maxNameLength)));
    this.#registry = registry;
  }

  get checks(): readonly RegisteredCheck[] {
    const all = this.#registry.checks;
    if (this.#of !== all) {
      this.#of = all;
      const known = all.map(({ name }) => name);
      const missing = this.unknown().map((name) => unregistered(name, nearest(name, known)));
      this.#checks = [...all.filter(({ name }) => this.#names.has(name)), ...missing];
    }
    return this.#checks;
  }

  unknown(): readonly string[] {
    const known = new Set(this.#registry.checks.map(({ name }) => name));
    return [...this.#names].filter((name) => !known.has(name));
  }
}

function unregistered(name: string, meant: string | undefined): RegisteredCheck {
  const hint = meant === undefined ? '' : `: did you mean ${meant}?`;
  const message = new ErrorMessage(`No check has this name${hint}`, {
    id: messageIds.notRegistered,
  });
  return {
    name,
    key: JSON.stringify(name),
    run: () => message,
    timeout: undefined,
    maxLevel: levels.critical,
    cache: undefined,
    runs: new OpenRuns(),
    scope: 'instance',
  };
}
