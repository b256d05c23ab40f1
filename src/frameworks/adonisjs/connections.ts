import type { ApplicationService } from '@adonisjs/core/types';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import { isClass, isPlain } from '../../core/objects.js';
import { scrub } from '../../core/scrub/scrub.js';
import { shown } from '../../core/options/errors.js';
import { connectionInvalid } from '../../profiles/settings/errors.js';
import type { AdoptedCheck, SettingsHost } from '../../profiles/settings/checks.js';
import { adoptLogger, type LoggerLike, requireLogger } from '../../logging/adopt.js';
import type { AdonisCheck, AdonisSettings } from './index.js';
import { brokers } from '../../checks/brokers/index.js';
import { call, isObject, property } from '../../checks/client.js';
import type { BuiltInOptions, ClientOption } from '../../checks/clients.js';
import { databases } from '../../checks/databases/index.js';
import { stores } from '../../checks/key-values/index.js';
import { migrationSources } from '../../checks/migrations/libraries.js';
import { notReady } from '../../checks/reasons.js';

/** A setting that may name a service that does not exist yet when `config/health.ts` is read. */
interface Kind {
  readonly setting: string;
  readonly binding: string;
  readonly source: string;
  isClient(value: unknown): boolean;
  /** The names that a service has; undefined is a service that is not there. */
  names(service: unknown, app: ApplicationService): readonly string[];
  /** The connection of a name; the default connection without one. */
  named(service: unknown, app: ApplicationService, name?: string): unknown;
}

const lucid = {
  binding: 'lucid.db',
  source: 'config/database.ts',
  names(db: unknown) {
    const connections = property(property(db, 'manager'), 'connections');
    return connections instanceof Map ? [...connections.keys()].map(String) : [];
  },
};

/** Looked up each time: Lucid creates a new client when a connection was closed or its settings were changed. */
function lucidClient(app: ApplicationService, db: unknown, name = property(db, 'primaryConnectionName')) {
  const isOpen = call(property(db, 'manager'), 'isConnected', name) === true;
  // A connection that is opened after the others were closed would keep the process.
  if (isEnding(app) && !isOpen) throw notReady('the application closed the connection');
  return call(db, 'connection', name);
}

const database: Kind = {
  ...lucid,
  setting: 'db',
  isClient: databases.is,
  named: (db, app, name) => ({
    getReadClient: () => call(lucidClient(app, db, name), 'getReadClient'),
    getWriteClient: () => call(lucidClient(app, db, name), 'getWriteClient'),
  }),
};

/** Lucid's own migrator, which knows the folders and tables of the configuration. It is never run. */
const migrations: Kind = {
  ...lucid,
  setting: 'migrations',
  isClient: migrationSources.is,
  async named(db, app, connectionName) {
    const Runner = property(await app.import('@adonisjs/lucid/migration'), 'MigrationRunner');
    if (typeof Runner !== 'function') return undefined;
    const options = { direction: 'up', dryRun: true, connectionName };
    const runner: object = Reflect.construct(Runner, [db, app, options]);
    // The runner keeps the client that it found.
    return Object.create(runner, { client: { get: () => lucidClient(app, db, connectionName) } });
  },
};

const redis: Kind = {
  setting: 'redis',
  binding: 'redis',
  source: 'config/redis.ts',
  isClient: stores.is,
  names: (manager) => Object.keys(property(property(manager, 'managerConfig'), 'connections') ?? {}),
  named(manager, app, name) {
    const key = name ?? String(property(property(manager, 'managerConfig'), 'connection'));
    return {
      get ioConnection() {
        // Opened if it is not open; not while the application closes its connections.
        const connection = isEnding(app)
          ? property(property(manager, 'activeConnections'), key)
          : call(manager, 'connection', key);
        return property(connection, 'ioConnection');
      },
    };
  },
};

/** AdonisJS has none of its own: a client, or a function that returns it. */
const broker: Kind = {
  setting: 'broker',
  binding: '',
  source: 'config/health.ts',
  isClient: brokers.is,
  names: () => [],
  named: () => undefined,
};

const logger: Kind = {
  setting: 'logger',
  binding: 'logger',
  source: 'config/logger.ts',
  isClient: (value) => value === false || adoptLogger(value) !== undefined,
  names: (_service, app) => Object.keys(app.config.get<object>('logger.loggers', {})),
  named: (manager, _app, name) => call(manager, 'use', name),
};

const resultOf = (kind: Kind) => (kind === logger ? 'logger' : 'client');

/** Resolves a setting: a client is itself, functions and names are looked up. */
async function resolve(kind: Kind, app: ApplicationService, given: unknown): Promise<unknown> {
  if (typeof given === 'string') return resolveName(kind, app, given);
  // Some clients are functions.
  if (typeof given === 'function' && !isClass(given) && !kind.isClient(given)) {
    const returned = withoutModule(await given(app));
    if (kind.isClient(returned) || isObject(returned) || typeof returned === 'string')
      return resolve(kind, app, returned);
    const reason = `is a function that returned ${shown(returned)}; it must return a ${resultOf(kind)}, its name, or a promise of either`;
    throw connectionInvalid(kind.setting, reason);
  }
  const existing = await service(app, kind);
  if (isObject(given) && given === existing) return kind.named(existing, app);
  const members = kind.isClient(given) ? undefined : namedMembers(given);
  if (members === undefined) return given;
  const resolved: [string, unknown][] = [];
  for (const [key, member] of members) resolved.push([key, await resolve(kind, app, member)]);
  return Object.fromEntries(resolved);
}

/** The error at start for services that were passed too early: the imported names are still undefined then. */
export function undefinedServices(settings: object): readonly string[] {
  return [database, migrations, redis, logger]
    .filter(({ setting }) => setting in settings && property(settings, setting) === undefined)
    .map(
      ({ setting, source }) =>
        `${setting} is undefined, so its default is used. Services do not exist yet when config/health.ts is read: ` +
        `write ${setting}: () => service, write a name from ${source}, or omit ${setting}.`,
    );
}

export async function loggerOf(
  app: ApplicationService,
  given: unknown,
): Promise<LoggerLike | false | undefined> {
  const chosen = given === undefined ? given : await resolve(logger, app, given);
  return chosen === undefined ? undefined : requireLogger(chosen);
}

async function resolveName(kind: Kind, app: ApplicationService, name: string): Promise<unknown> {
  const existing = await service(app, kind);
  const known = kind.names(existing, app);
  if (known.includes(name)) return kind.named(existing, app, name);
  // A text that does not look like a name may be a connection string with a password.
  const given = /^[\w.-]{1,64}$/.test(name) ? `the name ${shown(name)}` : 'a string that is not a name';
  const names = known.length === 0 ? 'no names' : `only these names: ${known.join(', ')}`;
  const reason = `has ${given}, but ${kind.source} has ${names}. Write one of them, or a function that returns a ${resultOf(kind)}`;
  throw connectionInvalid(kind.setting, reason);
}

/** Names in a list name their checks; clients are counted from one. */
function namedMembers(given: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(given)) {
    return given.map((member: unknown, index) => [
      typeof member === 'string' ? member : String(index + 1),
      member,
    ]);
  }
  return isPlain(given) ? Object.entries(given) : undefined;
}

/** `() => import('@adonisjs/redis/services/main')` gives the module: the service is its default export. */
function withoutModule(value: unknown): unknown {
  const isModule = isObject(value) && Reflect.get(value, Symbol.toStringTag) === 'Module';
  return isModule ? property(value, 'default') : value;
}

const isEnding = (app: ApplicationService) => app.isTerminating || app.isTerminated;

async function service(app: ApplicationService, { binding }: Kind): Promise<unknown> {
  return app.container.hasBinding(binding) ? app.container.make(binding) : undefined;
}

/** Finds clients in the container of AdonisJS that the settings do not name. */
export function servicesOf(app: ApplicationService, settings: AdonisSettings): SettingsHost {
  const client = async (kind: Kind, given: unknown) => {
    if (given !== undefined) return resolve(kind, app, given);
    const existing = await service(app, kind);
    return existing === undefined ? undefined : kind.named(existing, app);
  };
  const resolveAll = async () => {
    const { db } = settings;
    const clients: Record<ClientOption, unknown> = {
      db: await client(database, db),
      // The database's, if it is one connection.
      migrations: await client(migrations, settings.migrations ?? (typeof db === 'string' ? db : undefined)),
      redis: await client(redis, settings.redis),
      broker: await client(broker, settings.broker),
    };
    // oxlint-disable-next-line typescript/consistent-type-assertions -- registerBuiltIns checks them, and refuses values that no check supports
    return clients as BuiltInOptions;
  };
  let clients: Promise<BuiltInOptions> | undefined;
  return {
    // Once for all checks: functions of the settings are called once.
    clients: () => (clients ??= resolveAll()),
    async adopt({ name, value }) {
      if (isAdonisCheck(value)) return adoptCheck(name, value);
      if (!isAdonisCheckClass(value)) return undefined;
      return adoptCheck(name, await app.container.make(value));
    },
  };
}

type Result = Exclude<Awaited<ReturnType<AdonisCheck['run']>>, { readonly checks: unknown }>;

/** The check as one of ours: its `warning` is a Warning, its `error` an Error. */
function adoptCheck(name: string, check: AdonisCheck): AdoptedCheck {
  return {
    name: check.name ?? name,
    async check() {
      const outcome = await check.run();
      const results = 'checks' in outcome ? outcome.checks : [{ name: '', ...outcome }];
      return results.flatMap((result) => adonisMessage(result) ?? []);
    },
    options: check.cacheDuration === undefined ? {} : { cacheFor: check.cacheDuration * 1000 },
  };
}

function adonisMessage({
  name,
  status,
  message,
}: Result & { readonly name: string }): CheckMessage | undefined {
  if (status === 'ok') return undefined;
  const text = scrub(name === '' ? message : `${name}: ${message}`);
  return status === 'error'
    ? new ErrorMessage(text, { id: messageIds.indicator })
    : new Warning(text, { id: messageIds.indicator });
}

function isAdonisCheck(value: unknown): value is AdonisCheck {
  return isObject(value) && 'run' in value && typeof value.run === 'function';
}

function isAdonisCheckClass(value: unknown): value is new (...args: never[]) => AdonisCheck {
  return typeof value === 'function' && isAdonisCheck(value.prototype);
}
