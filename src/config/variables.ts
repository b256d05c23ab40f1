import { type BuiltInOptions, checkNameOf, type ClientOption } from '../checks/clients.js';
import type { Check } from '../core/heartbeat/check.js';
import { openDatabase, openRedis, type Opened } from './clients.js';
import { httpChecks } from './http-checks.js';

/** Gets the problem, and the name that the check would have. */
type Refuse = (thrown: unknown, name: string) => void;

/** Checks that variables ask for, with clients of their own. */
export interface FromVariables {
  readonly clients: Pick<BuiltInOptions, 'db' | 'redis'>;
  readonly checks: Readonly<Record<string, Check>>;
  /** The checks that each variable added, in words; undefined for none. */
  readonly found: Readonly<Record<string, string | undefined>>;
  /** Lets go of the clients. */
  readonly close: readonly (() => unknown)[];
}

/**
 * Opens the clients of `DATABASE_URL` and `REDIS_URL`, unless the options have one, and takes `HEALTH_HTTP_CHECKS`. Each
 * mistake is passed to `refuse`, with the name that the check would have: it throws, or the others are opened without it.
 */
export async function fromVariables(
  env: Readonly<Record<string, string | undefined>>,
  given: BuiltInOptions,
  cwd: string,
  refuse: Refuse,
): Promise<FromVariables> {
  const { DATABASE_URL, REDIS_URL, HEALTH_HTTP_CHECKS } = env;
  const db = given.db === undefined ? await opened(DATABASE_URL, cwd, openDatabase, 'db', refuse) : undefined;
  const redis =
    given.redis === undefined ? await opened(REDIS_URL, cwd, openRedis, 'redis', refuse) : undefined;
  const checks = httpChecks(HEALTH_HTTP_CHECKS ?? '', refuse);
  return {
    clients: { db: db?.client, redis: redis?.client },
    checks,
    found: {
      DATABASE_URL: db?.library,
      REDIS_URL: redis?.library,
      HEALTH_HTTP_CHECKS: Object.keys(checks).join(', '),
    },
    close: [db, redis].flatMap((each) => (each === undefined ? [] : [each.close])),
  };
}

async function opened<Client>(
  url: string | undefined,
  cwd: string,
  open: (url: string, cwd: string) => Promise<Opened<Client>>,
  option: ClientOption,
  refuse: Refuse,
): Promise<Opened<Client> | undefined> {
  if (!url) return undefined;
  try {
    return await open(url, cwd);
  } catch (thrown) {
    refuse(thrown, checkNameOf(option));
    return undefined;
  }
}
