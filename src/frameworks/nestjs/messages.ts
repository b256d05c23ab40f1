import { finalize, type Observable } from 'rxjs';
import type { Engine } from '../../core/engine.js';
import { engineOf, type HealthCore } from '../../core/health.js';
import type { SteppedDrain } from '../../http/drain/ending.js';
import { hasMethods } from '../../checks/client.js';
import { read } from '../../core/scrub/read.js';
import { beginMessage } from '../../worker/messages.js';
import { isObject } from '../../core/objects.js';

type Handler = (this: unknown, ...args: unknown[]) => unknown;

/** Messages and events of one application, which count as jobs once it listens to signals: without that, nothing waits for jobs. */
export class Messages {
  #app: object | undefined;
  #health: HealthCore<never> | undefined;
  #releases: (() => void)[] = [];

  /** The application listens to signals from now on. */
  attach(app: object, health: HealthCore<never> | undefined): void {
    this.#app = app;
    if (health !== undefined) this.count(health);
  }

  /** Called more than once: microservices may be connected at any time before the application starts. */
  count(health: HealthCore<never>): void {
    this.#health = health;
    if (this.#app !== undefined) this.#releases.push(countMessages(engineOf(health), this.#app));
  }

  /** Waits for those in progress as long as the drain allows. */
  async finish(drain: SteppedDrain | undefined): Promise<void> {
    if (this.#health === undefined || this.#app === undefined || drain === undefined) return;
    const { finishJobs } = await import('../../worker/drain.js');
    await finishJobs(this.#health, drain.timeLeft());
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }
}

/**
 * Counts the messages and events that handlers of this application work on as jobs: a pure microservice, or those that are connected to an application with
 * HTTP. Only handlers that are registered by now; call it again for later ones. Returns a function that restores the handlers.
 */
function countMessages<Request, FrameworkRequest>(
  engine: Engine<Request, FrameworkRequest>,
  app: object,
): () => void {
  const releases = serversOf(app).flatMap((handlers) =>
    [...handlers].flatMap(([pattern, handler]) => {
      if (typeof handler !== 'function' || counting.has(handler)) return [];
      const counted = countedHandler(engine, pattern, handler);
      handlers.set(pattern, counted);
      return [() => void (handlers.get(pattern) === counted && handlers.set(pattern, handler))];
    }),
  );
  return () => {
    for (const release of releases) release();
  };
}

const counting = new WeakSet<object>();

/** The maps of handlers by pattern, one per transport of an application. */
function serversOf(app: object): readonly Map<string, unknown>[] {
  const connected: unknown = hasMethods(app, 'getMicroservices')
    ? Reflect.apply(Reflect.get(app, 'getMicroservices'), app, [])
    : [];
  const apps = [app, ...(Array.isArray(connected) ? connected : [])];
  return apps.flatMap((each) => {
    const server = read(Object(each), 'serverInstance');
    if (!isObject(server) || !hasMethods(server, 'getHandlers')) return [];
    const handlers: unknown = Reflect.apply(Reflect.get(server, 'getHandlers'), server, []);
    return handlers instanceof Map ? [handlers] : [];
  });
}

function countedHandler<Request, FrameworkRequest>(
  engine: Engine<Request, FrameworkRequest>,
  pattern: unknown,
  handler: object,
): Handler {
  const counted: Handler = function (...args) {
    const message = beginMessage(engine, String(pattern));
    // The answer is written in the turns after the handler has ended.
    const end = () => void setImmediate(() => setImmediate(() => message.end()));
    const ended = (result: unknown) => {
      if (isObservable(result)) return result.pipe(finalize(end));
      end();
      return result;
    };
    let result: unknown;
    let returned = false;
    try {
      result = message.run(() => Reflect.apply(Object(handler), this, args));
      returned = true;
    } finally {
      // Not caught: Node prints the line of the last `throw`, and that must be the application's.
      if (!returned) end();
    }
    if (!(result instanceof Promise)) return ended(result);
    return result.then(ended, (thrown: unknown) => {
      end();
      throw thrown;
    });
  };
  // `isEventHandler`, `extras` and the next handler of the same event: transports read and set them.
  for (const name of ['isEventHandler', 'extras', 'next']) {
    Object.defineProperty(counted, name, {
      get: () => read(handler, name),
      set(value: unknown) {
        Reflect.set(handler, name, value);
      },
      enumerable: true,
      configurable: true,
    });
  }
  counting.add(counted);
  return counted;
}

/** By its shape: the application may have another copy of rxjs. */
function isObservable(value: unknown): value is Observable<unknown> {
  return isObject(value) && hasMethods(value, 'pipe', 'subscribe');
}
