import type { IncomingHttpHeaders } from 'node:http';
import type { Type } from '@nestjs/common';
import type { ModuleRef, ModulesContainer } from '@nestjs/core';
import type { BuiltInOptions, OneOrMore } from '../../checks/built-in.js';
import { databaseNames, isDatabase, poolBelow } from '../../checks/databases/index.js';
import { hasMigrations, isMigrationSource, migrationNames } from '../../checks/migrations/applied.js';
import { isRedisClient, redisNames } from '../../checks/key-values/connected.js';
import { clientUnsupported, isClass, notInContainer } from '../../core/options/errors.js';
import type { Imported } from '../../profiles/settings/import-path.js';
import type { AdoptedCheck, SettingsHost } from '../../profiles/settings/checks.js';
import type { Settings } from '../../profiles/settings/settings.js';
import { type CheckClass, isCheckClass, isIndicator, markOf } from './health-check.js';
import { type NestCheck, toCheck } from './indicator.js';

/** What a client can be asked for by in the container. */
export type ClientToken = string | symbol | (abstract new (...args: never[]) => unknown);

/**
 * What a guard or a handler is given as the request: that of Express or of Fastify, by the platform.
 *
 * @example HEALTH_UID: (request: express.Request) => request.get('x-user')
 */
export interface NestRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/** The settings of profile A on NestJS. */
export interface NestSettings extends Settings<CheckClass | NestCheck, ClientToken, NestRequest> {}

/** Finds in Nest's container what the settings leave open. */
export class Container implements SettingsHost {
  readonly #moduleRef: ModuleRef;
  readonly #modules: ModulesContainer;
  readonly #settings: NestSettings;

  constructor(moduleRef: ModuleRef, modules: ModulesContainer, settings: NestSettings) {
    this.#moduleRef = moduleRef;
    this.#modules = modules;
    this.#settings = settings;
  }

  clients(): BuiltInOptions {
    const { HEALTH_DB: db, HEALTH_MIGRATIONS: migrations, HEALTH_REDIS: redis } = this.#settings;
    const database = this.#clients('HEALTH_DB', db, isDatabase, databaseNames);
    return {
      db: database,
      migrations:
        // Whoever names one database of several means its migrations too.
        migrations === undefined && db !== undefined && hasMigrations(database)
          ? database
          : migrations === undefined
            ? this.#search(hasMigrations)
            : this.#clients('HEALTH_MIGRATIONS', migrations, isMigrationSource, migrationNames),
      redis: this.#clients('HEALTH_REDIS', redis, isRedisClient, redisNames),
    };
  }

  async adopt({ name, value }: Imported): Promise<AdoptedCheck | undefined> {
    if (!isCheckClass(value)) return isFunction(value) ? { name, check: toCheck(value) } : undefined;
    const instance = await this.#instance(value);
    const mark = markOf(value);
    return {
      ...mark,
      check: toCheck((context) =>
        isIndicator(instance) ? instance.isHealthy(mark.name) : instance.check(context),
      ),
    };
  }

  /** The instance that a module provides; one made for us where none does. */
  async #instance<Instance>(target: Type<Instance>): Promise<Instance> {
    try {
      return this.#moduleRef.get(target, { strict: false });
    } catch {
      try {
        return await this.#moduleRef.create(target);
      } catch (thrown) {
        throw notInContainer('HEALTH_CHECKS', target, thrown);
      }
    }
  }

  #clients<Client>(
    setting: string,
    given: OneOrMore<Client> | ClientToken | undefined,
    isClient: (value: unknown) => value is Client,
    supported: readonly string[],
  ): OneOrMore<Client> | undefined {
    if (given === undefined) return this.#search(isClient);
    if (!isToken(given)) return given;
    const provided = this.#get(setting, given);
    if (!isClient(provided)) throw clientUnsupported(setting, provided, supported);
    return provided;
  }

  #get(setting: string, token: ClientToken): unknown {
    try {
      return this.#moduleRef.get(token, { strict: false });
    } catch (thrown) {
      throw notInContainer(setting, token, thrown);
    }
  }

  /** Every client that a module provides: one as it is, several by the names of their tokens. */
  #search<Client>(isClient: (value: unknown) => value is Client): OneOrMore<Client> | undefined {
    // What stands on the same pool is one dependency: the pool itself tells most about it.
    const found = new Map<unknown, readonly [Client, string]>();
    for (const { providers } of this.#modules.values()) {
      for (const [token, provider] of providers) {
        const instance: unknown = provider.isDependencyTreeStatic() ? provider.instance : undefined;
        if (!recognises(isClient, instance)) continue;
        const below = poolBelow(instance);
        if (!found.has(below) || (below === instance && found.get(below)?.[0] !== instance)) {
          found.set(below, [instance, nameOf(token)]);
        }
      }
    }
    const clients = [...found.values()];
    const [first] = clients;
    return clients.length < 2
      ? first?.[0]
      : Object.fromEntries(clients.map(([client, name]) => [name, client]));
  }
}

/** A provider can be anything, also an object that throws when it is looked at. */
function recognises<Client>(isClient: (value: unknown) => value is Client, value: unknown): value is Client {
  try {
    return isClient(value);
  } catch {
    return false;
  }
}

function nameOf(token: unknown): string {
  if (typeof token === 'function') return token.name;
  return typeof token === 'symbol' ? (token.description ?? '') : String(token);
}

function isToken(value: unknown): value is ClientToken {
  return typeof value === 'string' || typeof value === 'symbol' || isClass(value);
}

function isFunction(value: unknown): value is NestCheck {
  return typeof value === 'function' && !isClass(value);
}
