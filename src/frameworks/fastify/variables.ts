import type { Scalar } from '../../core/heartbeat/messages.js';
import { optionInvalid } from '../../core/options/errors.js';
import { flag, headerName, integer, type Rule, text } from '../../core/options/rules.js';
import { environment } from '../../core/runtime.js';

const prefix = 'FASTIFY_';

const trust: Rule<boolean | string> = {
  expects: 'true, false or a list of proxy addresses',
  accepts: (value) => flag.accepts(value) || text.accepts(value),
  ...(flag.fromText && { fromText: flag.fromText }),
};

/** As Fastify writes its times. */
const duration = integer(0, 2 ** 31 - 1, ' (milliseconds)');

/** The options of Fastify that a variable can carry, and of its router. */
const serverRules = {
  bodyLimit: integer(1, Number.MAX_SAFE_INTEGER, ' (bytes)'),
  connectionTimeout: duration,
  exposeHeadRoutes: flag,
  forceCloseConnections: flag,
  handlerTimeout: duration,
  keepAliveTimeout: duration,
  maxRequestsPerSocket: integer(0, Number.MAX_SAFE_INTEGER),
  pluginTimeout: duration,
  requestIdHeader: headerName,
  requestTimeout: duration,
  return503OnClosing: flag,
  trustProxy: trust,
};
const routerRules = {
  allowUnsafeRegex: flag,
  caseSensitive: flag,
  ignoreDuplicateSlashes: flag,
  ignoreTrailingSlash: flag,
  maxParamLength: integer(1, Number.MAX_SAFE_INTEGER),
  useSemicolonDelimiter: flag,
};
const rules = new Map<string, Rule<Scalar>>(Object.entries({ ...serverRules, ...routerRules }));

type Values<Rules> = { [Name in keyof Rules]?: Rules[Name] extends Rule<infer T> ? T : never };

/** Server options for `Fastify({ … })`: only those set by a variable `FASTIFY_…`. */
export type FastifyConfig = Values<typeof serverRules> & { routerOptions?: Values<typeof routerRules> };

/**
 * The server options that the environment sets: `FASTIFY_BODY_LIMIT=2048` is `{ bodyLimit: 2048 }`.
 *
 * @example const app = Fastify({ ...fastifyConfig(), logger: logConfig() });
 */
export function fastifyConfig(): FastifyConfig {
  const config: FastifyConfig = {};
  for (const [name, value] of Object.entries(fastifyVariables())) {
    if (Object.hasOwn(serverRules, name)) Object.assign(config, { [name]: value });
    if (Object.hasOwn(routerRules, name)) Object.assign((config.routerOptions ??= {}), { [name]: value });
  }
  return config;
}

/** Every variable `FASTIFY_…`: the name without the prefix, in camel case, the value typed. */
export function fastifyVariables(): Readonly<Record<string, Scalar>> {
  const entries: [string, Scalar][] = [];
  for (const [variable, value] of Object.entries(environment())) {
    // An empty variable is how many platforms spell "unset".
    if (!variable.startsWith(prefix) || variable === prefix || value === undefined || value === '') continue;
    const name = camelCase(variable.slice(prefix.length));
    entries.push([name, typed(variable, value, rules.get(name))]);
  }
  return Object.freeze(Object.fromEntries(entries));
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/(?<!_)_+([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

function typed(variable: string, value: string, rule: Rule<Scalar> | undefined): Scalar {
  if (rule === undefined) return guessed(value);
  const parsed = rule.fromText?.(value);
  if (rule.accepts(parsed)) return parsed;
  throw optionInvalid(variable, value, rule.expects, 'Fix it or omit it.');
}

/** A number only if nothing is lost by it: `007` and `1e3` stay texts. */
function guessed(value: string): Scalar {
  if (value === 'true' || value === 'false') return value === 'true';
  return String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : value;
}
