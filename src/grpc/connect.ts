import { engineOf, type HealthCore, isHealth } from '../core/health.js';
import { appInvalid } from '../core/options/errors.js';
import { describeService } from './descriptor.js';
import { notFound, serviceUnknown, statusesOf, unknownService } from './statuses.js';
import { Watchers } from './watchers.js';

/** The part of a router of @connectrpc/connect that is used. */
interface ConnectRouter {
  service(service: object, implementation: object): unknown;
}
interface Request {
  readonly service: string;
}
interface Response {
  readonly status: number;
}

/**
 * The same service as `grpcHealth`, as the routes of @connectrpc/connect 2.
 *
 * @example connectNodeAdapter({ routes: connectHealth(health) });
 */
export function connectHealth(health: HealthCore<never>): (router: ConnectRouter) => void {
  if (!isHealth(health)) throw appInvalid('a Health', health, 'connectHealth(health)(router)');
  const engine = engineOf(health);
  const statusOf = statusesOf(engine);
  const watchers = new Watchers(engine, statusOf);

  async function check({ service }: Request): Promise<Response> {
    const status = await statusOf(service);
    if (status === serviceUnknown) throw connectError(notFound, unknownService(service));
    return { status };
  }

  async function* watch({ service }: Request, context: { signal: AbortSignal }): AsyncGenerator<Response> {
    // A client that reads slowly gets the latest status only.
    let latest: number | undefined;
    let hasEnded = false;
    let wake: (() => void) | undefined;
    const end = () => {
      hasEnded = true;
      wake?.();
    };
    const send = (status: number) => {
      latest = status;
      wake?.();
    };
    const leave = watchers.add(service, { send, end });
    context.signal.addEventListener('abort', end);
    hasEnded ||= context.signal.aborted;
    try {
      for (;;) {
        if (latest !== undefined) {
          const status = latest;
          latest = undefined;
          yield { status };
        } else if (hasEnded) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      leave();
    }
  }

  return (router) => void router.service(describeService(), { check, watch });
}

/** Connect recognises its errors by these fields, because an application may have two copies of it. */
function connectError(code: number, rawMessage: string): Error {
  const fields = { name: 'ConnectError', code, rawMessage, metadata: new Headers(), details: [] };
  return Object.assign(new Error(rawMessage, { cause: undefined }), fields);
}
