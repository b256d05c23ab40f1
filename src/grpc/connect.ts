import { type HealthCore, isHealth } from '../core/health.js';
import { appInvalid } from '../core/options/errors.js';
import { notFound, serviceUnknown, Statuses, unknownService } from './statuses.js';

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
  const statuses = new Statuses(health);

  async function check({ service }: Request): Promise<Response> {
    const status = await statuses.read(service);
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

  return (router) => void router.service(describeService(), { check, watch });
}

/** Connect recognises its errors by these fields, because an application may have two copies of it. */
function connectError(code: number, rawMessage: string): Error {
  const fields = { name: 'ConnectError', code, rawMessage, metadata: new Headers(), details: [] };
  return Object.assign(new Error(rawMessage, { cause: undefined }), fields);
}

/** A part of a .proto file, with the names that @bufbuild/protobuf 2 has for it. */
type Descriptor = Record<string, unknown>;

const statusNames = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
// The numbers of @bufbuild/protobuf.
const proto3 = 999;
const implicitPresence = 2;
const scalarString = 9;

/** The description of grpc.health.v1.Health that generated code would have. */
function describeService(): Descriptor {
  // Interceptors read the options of any descriptor, in `proto`.
  const common = { deprecated: false, proto: {} };
  const lists = { dependencies: [], enums: [], messages: [], extensions: [], services: [] };
  const file = { ...common, ...lists, kind: 'file', name: 'grpc/health/v1/health', edition: proto3 };
  const named = (kind: string, name: string): Descriptor => {
    const typeName = `grpc.health.v1.${name}`;
    return { ...common, kind, name: name.split('.').at(-1), typeName, file, parent: undefined };
  };
  const member = (kind: string, name: string, number: number, parent: Descriptor): Descriptor => ({
    ...common,
    kind,
    name,
    localName: name,
    jsonName: name,
    number,
    parent,
  });

  /** A message with one field. */
  const message = (name: string, fieldName: string, type: Descriptor): Descriptor => {
    const described = named('message', name);
    const field = {
      ...member('field', fieldName, 1, described),
      presence: implicitPresence,
      utf8Validation: true,
      longAsString: false,
      getDefaultValue: () => undefined,
      ...type,
    };
    const members = { fields: [field], members: [field], field: { [fieldName]: field } };
    const nested = { oneofs: [], nestedEnums: [], nestedMessages: [], nestedExtensions: [] };
    return Object.assign(described, members, nested);
  };

  const status = named('enum', 'HealthCheckResponse.ServingStatus');
  const values = statusNames.map((name, number) => member('enum_value', name, number, status));
  // `value` is by number: the index of each is its number.
  Object.assign(status, { open: true, values, value: values });

  const input = message('HealthCheckRequest', 'service', { fieldKind: 'scalar', scalar: scalarString });
  const output = message('HealthCheckResponse', 'status', { fieldKind: 'enum', enum: status });
  const service = named('service', 'Health');
  const method = (name: string, methodKind: string) => {
    const localName = name.toLowerCase();
    return {
      ...common,
      kind: 'rpc',
      name,
      localName,
      parent: service,
      methodKind,
      input,
      output,
      idempotency: 0,
    };
  };
  const check = method('Check', 'unary');
  const watch = method('Watch', 'server_streaming');
  return Object.assign(service, { methods: [check, watch], method: { check, watch } });
}
