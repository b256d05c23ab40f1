import { type BuiltInOptions, clientOptions, withoutClients } from '../checks/clients.js';
import type { Answer } from '../core/endpoints.js';
import { HealthCore, type HealthParts } from '../core/health.js';
import type { Logger } from '../core/log.js';
import { isPlain } from '../core/objects.js';
import { appInvalid, optionInvalid } from '../core/options/errors.js';
import { type CoreOptions, resolveOptions, type VersionDefaults } from '../core/options/options.js';
import { applicationRoot, parentOf, workingDirectory } from '../core/version.js';
import { loggerOf, type LoggerOption } from '../logging/adopt.js';
import { drainServers, openFeatures, registerBuiltIns, startWatchdog } from './platform.js';

/** Options of every Health but the clients, which settings-style frameworks accept in other forms. */
export interface BaseOptions<Request = unknown, FrameworkRequest = Request>
  extends CoreOptions<Request, FrameworkRequest>, LoggerOption {}

/**
 * Options of every Health, and the clients of the built-in checks. `Request` is the raw request, `FrameworkRequest` the request of the
 * framework. Each option but functions, clients and the logger is also read from `HEALTH_` + its name in capitals.
 */
export interface HealthOptions<Request = unknown, FrameworkRequest = Request>
  extends BaseOptions<Request, FrameworkRequest>, BuiltInOptions {}

/** The parts of a Health that its framework sets. */
export interface Defaults extends VersionDefaults {
  /** The logger without the option `logger`; standard output if omitted. */
  readonly logger?: (loggerName: string) => Logger;
  readonly also?: readonly string[];
  /** False if the framework's application has no server of node:http, so no other one can stand beside it. */
  readonly healthPort?: false;
  /** Whether a plain object is an application and not the options, which it is in most frameworks. */
  readonly isApp?: (value: object) => boolean;
}

/** Where Express reads `version.json`: above the application's root, in it, in the working directory. @internal */
export function fromParentOfRoot(): VersionDefaults {
  const root = applicationRoot();
  return { versionPath: parentOf(root), versionFallbacks: [root, workingDirectory()] };
}

/** Where the other extension-style frameworks read `version.json`: in the working directory, in the application's root. @internal */
export function fromWorkingDirectory(): VersionDefaults {
  return { versionPath: workingDirectory(), versionFallbacks: [applicationRoot()] };
}

/** The arguments of a Health: an application and its options, one of the two, or neither. Without an application, pass it to `initApp` later. */
export type HealthArguments<App, Options> = readonly [app?: App | Options, options?: Options];

function argumentsOf<App extends object, Options extends object>(
  args: HealthArguments<App, Options>,
  isApp: (value: object) => boolean,
): { readonly app?: App | undefined; readonly options: Options | undefined } {
  const [first, options] = args;
  const isOptions = (value: App | Options): value is Options =>
    isPlain(value) && !isApp(value) && !isPlain(options);
  if (first === undefined) {
    // An application that is not there would have no endpoints, and say nothing.
    if (args.length !== 1) return { options };
    const write =
      'new Health(app); without an application yet, new Health() or new Health({ … }), and health.initApp(app) later';
    throw appInvalid('an application, or options', first, write);
  }
  if (!isOptions(first)) return { app: first, options };
  if (options === undefined) return { options: first };
  throw appInvalid('the application first and its options second', first, 'new Health(app, { … })');
}

/** Resolves the options of a Health; its built-in checks and its watchdog begin with it. @internal */
export function healthParts<Request, FrameworkRequest>(
  options: HealthOptions<Request, FrameworkRequest> | undefined,
  { also = [], healthPort, ...defaults }: Defaults,
): HealthParts<Request, FrameworkRequest> {
  const { logger, ...others } = options ?? {};
  const { clients, rest } = withoutClients(others);
  const resolved = resolveOptions<Request, FrameworkRequest>(
    rest,
    { ...defaults, logger: loggerOf(logger, defaults.logger) },
    { also: [...clientOptions, 'logger', ...also] },
  );
  if (healthPort === false && resolved.healthPort !== undefined) {
    const expects = 'omitted here, because lifesign has no access to the server';
    const fix = 'Use lifesign/node with your own server on that port.';
    throw optionInvalid('Option healthPort', resolved.healthPort, expects, fix);
  }
  const begin = (health: HealthCore<Request, FrameworkRequest>) => {
    registerBuiltIns(health, clients);
    startWatchdog(health);
  };
  return { options: resolved, openFeatures, begin };
}

/** The arguments of an extension-style Health: its application, if there is one yet, and its parts. @internal */
export function extension<App extends object, Request, FrameworkRequest = Request>(
  args: HealthArguments<App, HealthOptions<Request, FrameworkRequest>>,
  { isApp = () => false, ...defaults }: Defaults,
): { readonly app: App | undefined; readonly parts: HealthParts<Request, FrameworkRequest> } {
  const { app, options } = argumentsOf(args, isApp);
  const parts = healthParts<Request, FrameworkRequest>(options, defaults);
  const begin = (health: HealthCore<Request, FrameworkRequest>) => {
    parts.begin?.(health);
    drainServers(health, health.onShutdown);
  };
  return { app, parts: { ...parts, begin } };
}

/**
 * The answer to a request for one of the endpoints, to be sent as it is; undefined if the request is for the application.
 * `target` is the raw path with its query. The promise never rejects.
 */
export interface Handler<Request> {
  (method: string, target: string, request: Request): Answer | Promise<Answer> | undefined;
  /** Registers checks and the version, listens to signals. */
  readonly health: HealthCore<Request, Request>;
}

/**
 * For frameworks without their own entry: accepts the options of every Health and returns the answers. For servers on
 * node:http use `lifesign/node`, for handlers of a Request `lifesign/fetch`: these log `request.summary` too.
 *
 * @example const handle = createHandler({ db: pool }); const answer = await handle(method, target, request);
 */
export function createHandler<Request = unknown>(options?: HealthOptions<Request>): Handler<Request> {
  const health = new HealthCore(
    healthParts<Request, Request>(options, { ...fromWorkingDirectory(), healthPort: false }),
  );
  const handle = (method: string, target: string, request: Request) => {
    const route = health.match(target);
    return route && health.answer(route, method, target, request);
  };
  return Object.assign(handle, { health });
}
