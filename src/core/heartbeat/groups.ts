import { groupPath, type Route } from '../endpoints.js';
import type { Feature } from '../feature.js';
import { checkUnknown, nearest, shown } from '../options/errors.js';
import type { ResolvedOptions } from '../options/options.js';
import { clean } from '../scrub/scrub.js';
import { HeartbeatAnswers } from './report.js';
import { type RegisteredCheck, OpenRuns, type Entry } from './run.js';
import { type Heartbeat, Heartbeats } from './heartbeat.js';
import { Error as ErrorMessage, levels, maxNameLength } from './messages.js';
import type { Registry } from './registry.js';
import type { VerdictOf } from './result.js';
import * as messageIds from './message-ids.js';

/** The part of its Health that the groups use. */
interface GroupHost<Request> {
  readonly options: ResolvedOptions<Request, never>;
  readonly registry: Pick<Registry, 'checks'>;
  readonly entry: Entry;
  readonly showsDetails: (request: Request) => boolean;
  readonly verdictOf: VerdictOf;
  /** Reports the results of a group to features and log. */
  readonly announce: (heartbeat: Heartbeat) => void;
}

/**
 * Parts of the checks, each served at `/__heartbeat__/` + its name, in all as the heartbeat is. A heartbeat of a part is not one of
 * the application: no signal is emitted.
 */
export function groupsOf<Request>(host: GroupHost<Request>): Feature<Request> {
  const { options, registry, entry, showsDetails, verdictOf } = host;
  const groups = Object.entries(options.groups).map(([name, checks]) => ({
    name,
    members: new Members(checks, registry),
  }));
  // No listener is called.
  const report = (heartbeat: Heartbeat) => {
    host.announce(heartbeat);
    return false;
  };
  return {
    routes: groups.map(({ name, members }): Route<Request> => {
      const heartbeats = new Heartbeats(members, options, report, entry, verdictOf);
      const answers = new HeartbeatAnswers(options);
      return {
        path: groupPath(name),
        name: `group ${name}`,
        answer: (request) =>
          heartbeats.run().then((heartbeat) => answers.answer(heartbeat, showsDetails(request))),
      };
    }),
    requireKnownChecks() {
      const known = registry.checks.map(({ name }) => name);
      for (const { name, members } of groups) {
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
  const maxLevel = levels.critical;
  const run = () => message;
  return {
    name,
    key: JSON.stringify(name),
    run,
    timeout: undefined,
    maxLevel,
    cache: undefined,
    runs: new OpenRuns(),
    scope: 'instance',
  };
}
