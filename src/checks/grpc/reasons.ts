import { property } from '../client.js';
import { reasonOf } from '../reasons.js';

interface GrpcReason {
  readonly text: string;
  readonly hint: string;
}

const look = 'Check that the server is up and that the address is right.';
const login = "Compare the client's credentials with what the server expects.";

/** Status codes whose meaning is in the code, with our own sentences: the details are the words of the server. */
const codes: Readonly<Record<number, readonly [string, string]>> = {
  4: ['no answer in time (DEADLINE_EXCEEDED)', look],
  5: [
    'the server does not know this service (NOT_FOUND)',
    'Write the name that the server registers in its health service, or omit service to check the server as a whole.',
  ],
  7: ['the server rejected the call (PERMISSION_DENIED)', login],
  12: [
    'the server has no health service (UNIMPLEMENTED)',
    'Add grpc.health.v1.Health to the server (for example with the grpc-health-check package), or use checks.tcp.',
  ],
  16: ['the server rejected the call (UNAUTHENTICATED)', login],
};

const names =
  'OK,CANCELLED,UNKNOWN,INVALID_ARGUMENT,DEADLINE_EXCEEDED,NOT_FOUND,ALREADY_EXISTS,PERMISSION_DENIED,RESOURCE_EXHAUSTED,FAILED_PRECONDITION,ABORTED,OUT_OF_RANGE,UNIMPLEMENTED,INTERNAL,UNAVAILABLE,DATA_LOSS,UNAUTHENTICATED'.split(
    ',',
  );

/** Why there is no connection, from grpc-js' report of its last attempt. */
const causes: readonly (readonly [RegExp, string, string])[] = [
  [/certificate|altnames|ERR_TLS_CERT/i, "the server's certificate is not trusted", login],
  [
    /wrong version number|SSL routines|handshake/i,
    'the client uses TLS and the server does not',
    'Check whether the server expects TLS. If it does not, use createInsecure() from grpc-js.',
  ],
  [/name resolution failed/i, 'the host name cannot be resolved', look],
  [/protocol error/i, 'the server there does not speak gRPC', look],
  [
    /failed to connect/i,
    'the connection was closed while it was being opened',
    'Check whether the server expects TLS. If it does, pass credentials.',
  ],
];

/** Why a call failed, without a word of the server. */
export function grpcReason(thrown: unknown): GrpcReason {
  const code = property(thrown, 'code');
  // A DOMException, as signals have them, has a number too.
  if (typeof code !== 'number' || property(thrown, 'details') === undefined) {
    const isClosed = /shut ?down/i.test(String(property(thrown, 'message')));
    if (!isClosed) return { text: reasonOf(thrown).text, hint: look };
    return { text: 'the application closed its client', hint: 'Pass a client that stays open.' };
  }
  const known = codes[code];
  if (known !== undefined) return { text: known[0], hint: known[1] };
  const name = names[code] ?? `status ${code}`;
  if (code !== 14) return { text: `the call failed (${name})`, hint: "See the server's log." };
  const details = String(property(thrown, 'details'));
  const cause = causes.find(([pattern]) => pattern.test(details));
  if (cause !== undefined) return { text: cause[1], hint: cause[2] };
  const system = /\b(?:E[A-Z]{4,}|ERR_[A-Z_]+)\b/.exec(details)?.[0];
  const text = system === undefined ? `no connection (${name})` : reasonOf({ code: system }).text;
  return { text, hint: look };
}
