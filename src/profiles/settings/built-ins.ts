import { type ClientCheck, clientChecks, type ClientOption } from '../../checks/clients.js';
import * as ownChecks from '../../checks/index.js';
import { isClass } from '../../core/objects.js';
import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import type { SettingsClients } from './types.js';

/** The messages of a built-in check without a client. */
export const missing: Readonly<Record<ClientOption, () => CheckMessage>> = {
  db: () => notFound('database', 'db', messageIds.databaseMisconfigured),
  migrations: () =>
    new Info('Cannot check migrations: none were found, set migrations', {
      id: messageIds.migrationsUnchecked,
    }),
  redis: () => notFound('redis client', 'redis', messageIds.redisMissing),
  broker: () => notFound('broker', 'broker', messageIds.brokerMissing),
};

function notFound(what: string, option: ClientOption, id: string): ErrorMessage {
  const text = `No ${what} was found: set ${option}, or list other checks in HEALTH_CHECKS`;
  return new ErrorMessage(text, { id });
}

/** Those that most applications do not have: their checks are listed if their clients are given. */
const optional: ReadonlySet<ClientOption> = new Set<ClientOption>(['redis', 'broker']);

/** The built-in check that a value of the list is, as it is exported. */
export const builtInOf = (value: unknown) =>
  clientChecks.find(({ exportName }) => Reflect.get(ownChecks, exportName) === value);

const checksPrefix = 'lifesign/checks.';

/** The entry of `HEALTH_CHECKS` for a built-in check. */
const pathOf = ({ exportName }: ClientCheck) => `${checksPrefix}${exportName}`;

/** The export of ours that a path names, whichever copy of the package `import()` would find from the project. */
export function ownExport(path: string): unknown {
  return path.startsWith(checksPrefix) ? Reflect.get(ownChecks, path.slice(checksPrefix.length)) : undefined;
}

/** Factories without required options: they are called if they are listed as they are. */
const callable: ReadonlySet<unknown> = new Set([ownChecks.memory, ownChecks.eventLoop]);

/** Whether a value is a factory that can be called without arguments. */
export function isBareFactory(value: unknown): value is () => unknown {
  return callable.has(value);
}

/** Whether a value is a factory of ours that was to be called. */
export function isFactory(value: unknown): boolean {
  return !isClass(value) && Object.values<unknown>(ownChecks).includes(value);
}

/** The clients of the settings, each undefined if it was not given. */
export type GivenClients = SettingsClients<unknown>;

const isGiven = (given: GivenClients, option: ClientOption) => given[option] !== undefined;

/** The default of `HEALTH_CHECKS`: the database and its migrations, and each client that was given. */
export function defaultChecks(given: GivenClients): readonly string[] {
  return clientChecks.filter(({ option }) => !optional.has(option) || isGiven(given, option)).map(pathOf);
}

/** The warnings at start for clients whose check `HEALTH_CHECKS` leaves out. */
export function clientsLeftOut(given: GivenClients, asked: ReadonlySet<ClientOption>): readonly string[] {
  return clientChecks
    .filter(({ option }) => isGiven(given, option) && !asked.has(option))
    .map(
      (builtIn) =>
        `${builtIn.option} is set, but HEALTH_CHECKS does not list its check, so this client is not checked. Add '${pathOf(builtIn)}' to HEALTH_CHECKS, or omit ${builtIn.option}.`,
    );
}
