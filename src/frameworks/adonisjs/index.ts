import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { HttpContext } from '@adonisjs/core/http';
import type { ApplicationService } from '@adonisjs/core/types';
import type { ClientOption, Clients, OneOrMore } from '../../checks/clients.js';
import { HealthCore } from '../../core/health.js';
import type { HeartbeatEvent, LoopEvent, VerdictEvent } from '../../core/heartbeat/signals.js';
import type { LoggerLike } from '../../logging/adopt.js';
import { type AnySettings, type Settings, settingsParts } from '../../profiles/settings/settings.js';

export * from '../../profiles/entry.js';
export { noteError } from '../../http/node/serve.js';
export { getVersion } from '../../core/version.js';
export { configure } from './configure.js';

/** The placeholder for a client that does not exist yet when `config/health.ts` is read: a name, or a function. */
type Later<Client> = string | ((app: ApplicationService) => Found<Client> | Promise<Found<Client>>);
/** The result of such a function: the client, its name, or the module whose default export it is. */
type Found<Client> = Client | string | readonly string[] | { readonly default: Client };
/** One, a list, or some with names, as for the extension. */
type Source<Client> =
  | OneOrMore<Client>
  | Later<OneOrMore<Client>>
  | readonly (Client | Later<Client>)[]
  | { readonly [name: string]: Client | Later<Client> };

type Plain = Settings<AdonisCheck | (new (...args: never[]) => AdonisCheck), never, HttpContext>;

/** The clients: names of connections in `config/database.ts` and `config/redis.ts`, clients, or functions that return them. */
type AdonisClients = {
  readonly [Option in ClientOption]?: Source<Clients[Option]> | undefined;
};

/** The settings on AdonisJS. */
export interface AdonisSettings extends Omit<Plain, ClientOption | 'logger'>, AdonisClients {
  /** Where records go: a logger, the name of one in `config/logger.ts`, or a function that returns it. */
  readonly logger?: LoggerLike | false | Later<LoggerLike | false> | undefined;
}

/**
 * The health object. Resolve it from the container to add checks or to listen to the signals.
 *
 * @example const health = await app.container.make(Health);
 */
export class Health extends HealthCore<IncomingMessage, HttpContext> {
  constructor(settings: AnySettings) {
    super(settingsParts(settings));
  }
}

/** A check of `@adonisjs/core/health`, or a `HealthChecks` with several of them. */
export interface AdonisCheck {
  readonly name?: string;
  /** Seconds. */
  readonly cacheDuration?: number | undefined;
  run(): Promise<Result | { readonly checks: readonly (Result & { readonly name: string })[] }>;
}

interface Result {
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
}

/** The directory of the stubs for `node ace configure lifesign`. */
export const stubsRoot: string = fileURLToPath(new URL('../../../stubs/adonisjs', import.meta.url));

/**
 * The health settings in `config/health.ts`.
 *
 * @example export default defineConfig({ BASE_DIR: app.makePath(), DEBUG: app.inDev });
 */
export function defineConfig(settings: AdonisSettings): AdonisSettings {
  return settings;
}

declare module '@adonisjs/core/types' {
  interface EventsList {
    /** A heartbeat that passed. */
    'lifesign:heartbeatPassed': HeartbeatEvent;
    /** A heartbeat that failed. */
    'lifesign:heartbeatFailed': HeartbeatEvent;
    /** The event loop was blocked, and when it ended. */
    'lifesign:loopBlocked': LoopEvent;
    'lifesign:loopFreed': LoopEvent;
    /** A verdict of the probes has changed. */
    'lifesign:verdictChanged': VerdictEvent;
  }
}
