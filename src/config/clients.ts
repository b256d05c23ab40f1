import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hasMethods } from '../checks/client.js';
import type { DatabaseClient } from '../checks/databases/connected.js';
import { isDatabase } from '../checks/databases/shapes.js';
import type { RedisClient } from '../checks/key-values/connected.js';
import { isRedisClient } from '../checks/key-values/shapes.js';
import { isError } from '../core/guard.js';
import { attempt } from '../core/runtime.js';
import { packageMissing, urlInvalid } from './errors.js';

/** A client that was opened for a check, and how to close it. */
export interface Opened<Client> {
  readonly client: Client;
  readonly library: string;
  readonly close: () => unknown;
}

/** A client library: how to create a client for a URL with its module. */
interface Library {
  readonly name: string;
  readonly open: (exported: (name: string) => Callable, url: string) => unknown;
}

type Callable = (...args: readonly unknown[]) => unknown;
type Kind = 'postgres' | 'mysql' | 'sqlite' | 'redis';

/** Methods that close a client, in order of preference. `quit` of a Redis client waits for a server that may be down. */
const closing = ['end', 'destroy', 'disconnect', 'close'];

// One connection: the check is all that asks.
const libraries: Readonly<Record<Kind, readonly Library[]>> = {
  postgres: [
    { name: 'pg', open: (get, url) => make(get('Pool'), { connectionString: url, max: 1 }) },
    { name: 'postgres', open: (get, url) => get('default')(url, { max: 1 }) },
  ],
  mysql: [
    { name: 'mysql2', open: (get, url) => get('createPool')({ uri: url, connectionLimit: 1 }) },
    { name: 'mariadb', open: (get, url) => get('createPool')(url.replace(/^mysql:/, 'mariadb:')) },
  ],
  sqlite: [
    { name: 'better-sqlite3', open: (get, path) => make(get('default'), path) },
    { name: 'libsql', open: (get, path) => make(get('default'), path) },
    { name: 'node:sqlite', open: (get, path) => make(get('DatabaseSync'), path) },
  ],
  redis: [
    { name: 'ioredis', open: (get, url) => make(get('Redis'), url) },
    { name: 'iovalkey', open: (get, url) => make(get('Redis'), url) },
    { name: 'redis', open: (get, url) => get('createClient')({ url }) },
  ],
};

const databaseSchemes: Readonly<Record<string, Kind>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
  sqlite: 'sqlite',
  sqlite3: 'sqlite',
  file: 'sqlite',
};
const redisSchemes: Readonly<Record<string, Kind>> = { redis: 'redis', rediss: 'redis', valkey: 'redis' };

/** A client for `DATABASE_URL`, made with the library that the project has installed. */
export async function openDatabase(url: string, cwd: string): Promise<Opened<DatabaseClient>> {
  const kind = kindOf('DATABASE_URL', url, databaseSchemes);
  const address = kind === 'sqlite' ? sqlitePath(url, cwd) : url;
  const opened = await open('DATABASE_URL', kind, address, cwd);
  if (!isDatabase(opened.client)) throw packageMissing('DATABASE_URL', namesOf(kind));
  return { ...opened, client: opened.client };
}

/** A client for `REDIS_URL`, made with the library that the project has installed. */
export async function openRedis(url: string, cwd: string): Promise<Opened<RedisClient>> {
  const kind = kindOf('REDIS_URL', url, redisSchemes);
  const opened = await open('REDIS_URL', kind, url.replace(/^valkey:/, 'redis:'), cwd);
  const { client } = opened;
  // node-redis needs a call; the others connect by themselves. Failures are reported by the check.
  if (opened.library === 'redis') void Promise.resolve(call(client, 'connect')).catch(() => {});
  if (!isRedisClient(client)) throw packageMissing('REDIS_URL', namesOf(kind));
  await settled(client);
  return { ...opened, client };
}

/** Connected, or known not to be: the first heartbeat must not fail because it came too early. */
function settled(client: unknown): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 2000);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    for (const event of ['ready', 'error']) call(client, 'once', event, done);
  });
}

function kindOf(variable: string, url: string, schemes: Readonly<Record<string, Kind>>): Kind {
  const scheme = /^([a-z0-9+]+):/i.exec(url)?.[1]?.toLowerCase() ?? '';
  const kind = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  // Never the URL itself: it carries a password.
  if (kind === undefined) {
    throw urlInvalid(
      variable,
      scheme === '' ? withoutSecret(url) : `${scheme}:…`,
      `a URL that starts with ${Object.keys(schemes).join(':, ')}:`,
    );
  }
  return kind;
}

/** A URL that lost its colon, without a possible password: everything before the last `@`, and the query. Anything else may be a secret as a whole. */
function withoutSecret(url: string): string {
  const start = /^[a-z0-9+]*\/\//i.exec(url)?.[0];
  if (start === undefined) return '';
  const hidden = url.includes('@') ? '***@' : '';
  const host = url.slice(hidden === '' ? start.length : url.lastIndexOf('@') + 1);
  return `${start}${hidden}${host.replace(/[?#][^]*/, '')}`;
}

function sqlitePath(url: string, cwd: string): string {
  const path = decodeURIComponent(url.replace(/^[a-z0-9]+:(\/\/)?/i, '').replace(/[?#][^]*/, ''));
  const file = path.startsWith('/') ? path : join(cwd, path);
  // The libraries would create an empty database, and that one is always healthy.
  if (!existsSync(file)) throw urlInvalid('DATABASE_URL', path, 'the path of an existing file');
  return file;
}

async function open(variable: string, kind: Kind, address: string, cwd: string): Promise<Opened<unknown>> {
  for (const library of libraries[kind]) {
    const module = await load(library.name, cwd);
    if (module === undefined) continue;
    const client = library.open((name) => exportOf(module, name), address);
    // An error of an idle connection would end the process; the check reports it.
    call(client, 'on', 'error', () => {});
    // One that is closed already throws.
    const method = closing.find((name) => hasMethods(client, name)) ?? '';
    return { client, library: library.name, close: () => attempt(() => call(client, method)) };
  }
  throw packageMissing(variable, namesOf(kind));
}

/** A package of the project we run in, or a built-in; undefined if it is not installed. */
async function load(name: string, cwd: string): Promise<object | undefined> {
  try {
    const resolved = createRequire(join(cwd, 'package.json')).resolve(name);
    return await import(resolved.startsWith('node:') ? resolved : pathToFileURL(resolved).href);
  } catch (thrown) {
    const code = isError(thrown) && 'code' in thrown ? thrown.code : undefined;
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_UNKNOWN_BUILTIN_MODULE') return undefined;
    throw thrown;
  }
}

function exportOf(module: object, name: string): Callable {
  const whole: unknown = Reflect.get(module, 'default');
  const found: unknown = Reflect.get(module, name) ?? Reflect.get(Object(whole), name);
  if (!isCallable(found)) throw new TypeError(`The package exports no function ${name}`);
  return found;
}

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}

function make(constructor: Callable, ...args: readonly unknown[]): unknown {
  return Reflect.construct(constructor, args);
}

/** Calls a method if there is one. */
function call(target: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(Object(target), name);
  return isCallable(method) ? Reflect.apply(method, target, args) : undefined;
}

function namesOf(kind: Kind): readonly string[] {
  return libraries[kind].map(({ name }) => name).filter((name) => !name.startsWith('node:'));
}
