import type { IncomingHttpHeaders } from 'node:http';
import type { Type } from '@nestjs/common';
import { ContextIdFactory, type ModuleRef, type ModulesContainer } from '@nestjs/core';
import type { EveryClient, OneOrMore } from '../../checks/clients.js';
import { hasMethods, property } from '../../checks/client.js';
import { databases, poolBelow } from '../../checks/databases/index.js';
import { hasMigrations, migrationSources } from '../../checks/migrations/libraries.js';
import { brokerNames, isBroker } from '../../checks/brokers/index.js';
import { stores } from '../../checks/key-values/index.js';
import { isClass, isPlain } from '../../core/objects.js';
import { clientUnsupported } from '../../checks/recognise.js';
import { notInContainer } from '../../profiles/settings/errors.js';
import { attempt } from '../../core/runtime.js';
import type { Imported } from '../../profiles/settings/import-path.js';
import type { AdoptedCheck, SettingsHost } from '../../profiles/settings/checks.js';
import type { Settings } from '../../profiles/settings/settings.js';
import { type CheckClass, isCheckClass, isIndicator, type NestCheck, toCheck } from './checks.js';

/** The tokens by which the container can resolve a client. */
export type ClientToken = string | symbol | (abstract new (...args: never[]) => unknown);

/**
 * The request that guards and handlers receive: the request of Express or Fastify, depending on the platform.
 *
 * @example uid: (request: express.Request) => request.get('x-user')
 */
export interface NestRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/** The settings on NestJS. */
export interface NestSettings extends Settings<CheckClass | NestCheck, ClientToken, NestRequest> {}

export class Container implements SettingsHost {
  readonly #moduleRef: ModuleRef;
  readonly #modules: ModulesContainer;
  readonly #settings: NestSettings;

  constructor(moduleRef: ModuleRef, modules: ModulesContainer, settings: NestSettings) {
    this.#moduleRef = moduleRef;
    this.#modules = modules;
    this.#settings = settings;
  }

  clients(): EveryClient {
    const { db, migrations, redis, broker } = this.#settings;
    const database = this.#clients('db', db, databases);
    // Naming one database of several names its migrations too.
    const named = db !== undefined && hasMigrations(database) ? database : undefined;
    return {
      db: database,
      migrations:
        migrations === undefined
          ? (named ?? this.#search(hasMigrations))
          : this.#clients('migrations', migrations, migrationSources),
      redis: this.#clients('redis', redis, stores),
      // Not searched for: an application may have several, and functions would be taken for one.
      broker:
        broker === undefined
          ? undefined
          : this.#clients('broker', broker, { is: isBroker, names: brokerNames }),
    };
  }

  async adopt({ name, value }: Imported): Promise<AdoptedCheck | undefined> {
    if (!isCheckClass(value)) return isFunction(value) ? { name, check: toCheck(value) } : undefined;
    const instance = await this.#instance(value);
    const run: NestCheck = (context) =>
      isIndicator(instance) ? instance.isHealthy(name) : instance.check(context);
    return { name, check: toCheck(run) };
  }

  /** Workers of this application that can be stopped: BullMQ, also of @nestjs/bullmq. */
  queueWorkers(): readonly QueueWorker[] {
    const workers = new Set<QueueWorker>();
    for (const [, instance] of this.#instances()) {
      // The worker of a processor of @nestjs/bullmq; one that was not started has none, and throws.
      const worker = attempt(() => property(instance, 'worker'));
      for (const each of [instance, worker]) if (recognises(isQueueWorker, each)) workers.add(each);
    }
    return [...workers];
  }

  /** The instances that modules provide, by their tokens; of those per request there is none. */
  *#instances(): Generator<readonly [token: unknown, instance: unknown]> {
    for (const { providers } of this.#modules.values()) {
      for (const [token, provider] of providers)
        if (provider.isDependencyTreeStatic()) yield [token, provider.instance];
    }
  }

  /** The instance that a module provides; a new one if none does. Not in Nest's static context: NestJS 11 waits there forever for request-scoped providers. */
  async #instance<Instance>(target: Type<Instance>): Promise<Instance> {
    try {
      const isProvided = attempt(() => this.#moduleRef.introspect(target)) !== undefined;
      if (isProvided) return this.#moduleRef.get(target, { strict: false });
      return await this.#moduleRef.create(target, ContextIdFactory.create());
    } catch (thrown) {
      throw notInContainer('HEALTH_CHECKS', target, thrown, advice);
    }
  }

  #clients<Client>(
    setting: string,
    given: OneOrMore<Client | ClientToken> | undefined,
    { is, names }: { readonly is: (value: unknown) => value is Client; readonly names: readonly string[] },
  ): OneOrMore<Client> | undefined {
    if (given === undefined) return this.#search(is);
    const one = (name: string, each: Client | ClientToken): Client => {
      if (!isToken(each)) return each;
      const client = this.#get(name, each);
      if (is(client)) return client;
      throw clientUnsupported(name, client, names);
    };
    if (isToken(given)) return one(setting, given);
    if (is(given)) return given;
    if (Array.isArray(given)) return given.map((each, index) => one(`${setting}.${index + 1}`, each));
    if (!isPlain(given)) throw clientUnsupported(setting, given, names);
    return byName(Object.entries(given).map(([key, each]) => [key, one(`${setting}.${key}`, each)]));
  }

  #get(setting: string, token: ClientToken): unknown {
    // A connection string is not a token, and its password is not for an error.
    if (typeof token === 'string' && token.includes('://')) {
      throw clientUnsupported(setting, token, ['an injection token', 'a client']);
    }
    try {
      return this.#moduleRef.get(token, { strict: false });
    } catch (thrown) {
      throw notInContainer(setting, token, thrown, advice);
    }
  }

  /** Every client that a module provides: one as it is, several by the names of their tokens. */
  #search<Client>(isClient: (value: unknown) => value is Client): OneOrMore<Client> | undefined {
    // Clients of the same pool are one dependency: the pool itself shows most about it.
    const byPool = new Map<unknown, readonly [Client, string]>();
    for (const [token, instance] of this.#instances()) {
      if (!recognises(isClient, instance)) continue;
      const below = poolBelow(instance);
      if (!byPool.has(below) || (below === instance && byPool.get(below)?.[0] !== instance))
        byPool.set(below, [instance, tokenName(token)]);
    }
    const clients = [...byPool.values()];
    const [first] = clients;
    return clients.length < 2 ? first?.[0] : byName(clients.map(([client, name]) => [name, client]));
  }
}

/** Functions among them are refused when they are registered. */
function byName<Client>(clients: readonly (readonly [string, Client])[]): OneOrMore<Client> {
  return Object.assign({}, ...clients.map(([name, client]) => ({ [name]: client })));
}

interface QueueWorker {
  close(): unknown;
}

function isQueueWorker(value: unknown): value is QueueWorker {
  return hasMethods(value, 'close', 'pause', 'resume', 'run', 'isRunning');
}

const advice =
  'Add it to the providers of a module, with the default scope: a heartbeat has no request, so request-scoped providers cannot be used.';

/** A provider can be anything, also an object that throws when it is read. */
function recognises<Client>(isClient: (value: unknown) => value is Client, value: unknown): value is Client {
  return attempt(() => isClient(value)) === true;
}

function tokenName(token: unknown): string {
  if (typeof token === 'function') return token.name;
  return typeof token === 'symbol' ? (token.description ?? '') : String(token);
}

function isToken(value: unknown): value is ClientToken {
  return typeof value === 'string' || typeof value === 'symbol' || isClass(value);
}

function isFunction(value: unknown): value is NestCheck {
  return typeof value === 'function' && !isClass(value);
}
