import { type Answer, answerMethod, groupPath, matchGroup, withoutBody } from '../endpoints.js';
import type { Feature } from '../feature.js';
import { checkUnknown, optionInvalid, shown } from '../options/errors.js';
import { nearest } from '../options/nearest.js';
import type { ResolvedOptions } from '../options/options.js';
import { clean } from '../scrub/scrub.js';
import { HeartbeatAnswers } from './answer.js';
import type { RegisteredCheck } from './check.js';
import type { Heartbeat } from './heartbeat.js';
import { Heartbeats } from './heartbeats.js';
import { Error as ErrorMessage, levels, longestName } from './messages.js';
import type { Registry } from './registry.js';
import type { Entry } from './run-check.js';
import { Runs } from './runs.js';
import { messageIds } from './message-ids.js';

/** What the groups ask of the Health they belong to. */
interface GroupHost<Request> {
  readonly options: ResolvedOptions<Request, never>;
  readonly registry: Pick<Registry, 'checks'>;
  readonly entry: Entry;
  readonly showsDetails: (request: Request) => boolean;
  /** Logs what the checks of a group said. */
  readonly tell: (heartbeat: Heartbeat) => void;
}

/** The groups that the options ask for, if any. Throws where another feature answers the path of one. */
export function openGroups<Request>(
  host: GroupHost<Request>,
  others: readonly Feature<Request>[],
): readonly Feature<Request>[] {
  const names = Object.keys(host.options.groups);
  for (const name of names) {
    const path = groupPath(name);
    if (others.some((feature) => feature.matches?.(path) === true)) {
      const expects = 'a path that no other feature answers';
      throw optionInvalid(`The path of group ${name}`, path, expects, 'Rename one of them.');
    }
  }
  return names.length === 0 ? [] : [new Groups(host)];
}

/**
 * Parts of the checks, each served at `/__heartbeat__/` + its name, in all as the heartbeat is. A heartbeat of a part is not one of
 * the application: signals and features do not hear of it.
 */
class Groups<Request> implements Feature<Request> {
  readonly #groups = new Map<string, Group>();
  readonly #host: GroupHost<Request>;

  constructor(host: GroupHost<Request>) {
    this.#host = host;
    const { options, entry } = host;
    const tell = (heartbeat: Heartbeat) => {
      host.tell(heartbeat);
      return false;
    };
    for (const [name, checks] of Object.entries(options.groups)) {
      const members = new Members(checks, host.registry);
      const heartbeats = new Heartbeats(members, options, tell, entry);
      this.#groups.set(name, { members, heartbeats, answers: new HeartbeatAnswers(options) });
    }
  }

  matches(target: string): boolean {
    return this.#find(target) !== undefined;
  }

  handle(method: string, target: string, request: Request): Promise<Answer> | Answer | undefined {
    const group = this.#find(target);
    if (group === undefined) return undefined;
    const refused = answerMethod(method);
    if (refused !== undefined) return refused;
    const answer = group.heartbeats
      .run()
      .then((heartbeat) => group.answers.answer(heartbeat, this.#host.showsDetails(request)));
    return method === 'HEAD' ? answer.then(withoutBody) : answer;
  }

  requireKnownChecks(): void {
    const known = this.#host.registry.checks.map(({ name }) => name);
    for (const [name, { members }] of this.#groups) {
      const [unknown] = members.unknown();
      if (unknown !== undefined) throw checkUnknown(`Group ${shown(name)} names`, unknown, known);
    }
  }

  #find(target: string): Group | undefined {
    const name = matchGroup(target);
    return name === undefined ? undefined : this.#groups.get(name);
  }
}

interface Group {
  readonly members: Members;
  readonly heartbeats: Heartbeats;
  readonly answers: HeartbeatAnswers;
}

/** The checks of one group, in the order of their registration. One that is not registered fails: a slip must not be green. */
class Members {
  readonly #names: ReadonlySet<string>;
  readonly #registry: Pick<Registry, 'checks'>;
  #of: readonly RegisteredCheck[] | undefined;
  #checks: readonly RegisteredCheck[] = [];

  constructor(names: readonly string[], registry: Pick<Registry, 'checks'>) {
    // As the registry has them.
    this.#names = new Set(names.map((name) => clean(name, longestName)));
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
  const message = new ErrorMessage(`No check is registered under this name${hint}`, {
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
    runs: new Runs(),
    scope: 'instance',
  };
}
