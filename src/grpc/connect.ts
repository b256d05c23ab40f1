import { type HealthCore, isHealth } from '../core/health.js';
import { appInvalid } from '../core/options/errors.js';
import { notFound, serviceUnknown, Statuses, unknownService } from './statuses.js';

/** The file grpc/health/v1/health.proto as a descriptor in base64, which is how generated code has it. */
export const healthProto: string =
  'ChtncnBjL2hlYWx0aC92MS9oZWFsdGgucHJvdG8SDmdycGMuaGVhbHRoLnYxIi4KEkhlYWx0aENoZWNrUmVxdWVzdBIYCgdz' +
  'ZXJ2aWNlGAEgASgJUgdzZXJ2aWNlIrEBChNIZWFsdGhDaGVja1Jlc3BvbnNlEkkKBnN0YXR1cxgBIAEoDjIxLmdycGMuaGVh' +
  'bHRoLnYxLkhlYWx0aENoZWNrUmVzcG9uc2UuU2VydmluZ1N0YXR1c1IGc3RhdHVzIk8KDVNlcnZpbmdTdGF0dXMSCwoHVU5L' +
  'Tk9XThAAEgsKB1NFUlZJTkcQARIPCgtOT1RfU0VSVklORxACEhMKD1NFUlZJQ0VfVU5LTk9XThADMq4BCgZIZWFsdGgSUAoF' +
  'Q2hlY2sSIi5ncnBjLmhlYWx0aC52MS5IZWFsdGhDaGVja1JlcXVlc3QaIy5ncnBjLmhlYWx0aC52MS5IZWFsdGhDaGVja1Jl' +
  'c3BvbnNlElIKBVdhdGNoEiIuZ3JwYy5oZWFsdGgudjEuSGVhbHRoQ2hlY2tSZXF1ZXN0GiMuZ3JwYy5oZWFsdGgudjEuSGVh' +
  'bHRoQ2hlY2tSZXNwb25zZTABYgZwcm90bzM';

interface Request {
  readonly service: string;
}
interface Response {
  readonly status: number;
}

/** The methods of the service, as a router of @connectrpc/connect takes them. */
interface ConnectHealth {
  check(request: Request): Promise<Response>;
  watch(request: Request, context: { readonly signal: AbortSignal }): AsyncGenerator<Response>;
}

/**
 * The same service as `grpcHealth`, for @connectrpc/connect 2.
 *
 * @example router.service(serviceDesc(fileDesc(healthProto), 0), connectHealth(health));
 */
export function connectHealth(health: HealthCore<never>): ConnectHealth {
  if (!isHealth(health)) throw appInvalid('a Health', health, 'connectHealth(health)');
  const statuses = new Statuses(health);

  async function check({ service }: Request): Promise<Response> {
    const status = await statuses.read(service);
    if (status === serviceUnknown) throw connectError(notFound, unknownService(service));
    return { status };
  }

  async function* watch(
    { service }: Request,
    context: { readonly signal: AbortSignal },
  ): AsyncGenerator<Response> {
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
    const leave = statuses.watch(service, { send, end });
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

  return { check, watch };
}

/** Connect recognises its errors by these fields, because an application may have two copies of it. */
function connectError(code: number, rawMessage: string): Error {
  const fields = { name: 'ConnectError', code, rawMessage, metadata: new Headers(), details: [] };
  return Object.assign(new Error(rawMessage, { cause: undefined }), fields);
}
