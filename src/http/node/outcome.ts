import { clientLeft } from '../../core/endpoints.js';
import type { Summary } from '../../core/request/summary.js';
import type { NodeRequest, NodeResponse } from './request.js';

/** How an answer ended. */
export type Outcome = Pick<Summary, 'code' | 'complete' | 'cut' | 'failed' | 'error'>;

/** The facts that an exchange knows of its answer. */
interface Known {
  /** The code of one that went past the response. */
  readonly refusedWith: number | undefined;
  /** Whether the connection closed before it began. */
  readonly unanswered: boolean;
}

/** How the answer to a request ended. */
export function outcomeOf(req: NodeRequest, res: NodeResponse, { refusedWith, unanswered }: Known): Outcome {
  // One that is written to a closed connection counts as finished.
  if (!unanswered && handedOver(req, res)) return { code: res.statusCode, complete: true };
  const begun = !unanswered && hasBegun(res);
  if (!begun && refusedWith !== undefined) return { code: refusedWith, complete: true };
  const failed = brokenHere(req, res);
  return {
    code: begun ? res.statusCode : clientLeft,
    complete: false,
    cut: begun,
    failed,
    error: failed ? errorOf(res) : undefined,
  };
}

/** The answer was handed to the operating system, to its last byte. */
function handedOver(req: NodeRequest, res: NodeResponse): boolean {
  // Properties that a response has come first: after Express has changed its prototype, looking for a missing one takes microseconds.
  // One that was ended and destroyed with an error at once counts as finished: @hono/node-server does that to a body that broke.
  if (req.httpVersionMajor === 1 && res.writableFinished === true) return !res.errored;
  // Fastify's inject() closes a response before it is written.
  if ('_lightMyRequest' in res) return res.writableEnded;
  if (res.stream === undefined) return res.writableFinished === true && !res.errored;
  // Node ends the stream by itself if the client has reset it.
  return res.writableEnded && res.stream.writableFinished;
}

/** Whether its first byte was sent. A response that waits for earlier ones on its connection buffers its bytes. */
function hasBegun(res: NodeResponse): boolean {
  return res.headersSent && res.socket !== null;
}

/** Whether the client has broken the connection off before it had all of its answer. */
export function clientHasLeft(req: NodeRequest, res: NodeResponse): boolean {
  if (handedOver(req, res)) return false;
  const { socket }: { socket?: Ended } = req;
  const ended = res.stream === undefined ? socket?.writable === false : res.stream.destroyed === true;
  return ended && !brokenHere(req, res);
}

/** Whether it was this side that broke the answer off, and not the client. */
function brokenHere(req: NodeRequest, res: NodeResponse): boolean {
  if (res.stream !== undefined) return streamBrokenHere(res.stream);
  const { socket }: { socket?: Ended } = req;
  if (socket === undefined || socket.readableEnded === true) return false;
  const { errored } = socket;
  return !errored || errored === res.errored || !isOfConnection(errored);
}

interface Ended {
  readonly writable?: boolean;
  readonly readableEnded?: boolean;
  readonly errored?: object | null;
}

/** HTTP/2's codes for a stream that ended without being asked to, and for one that was destroyed with an error. */
const [noError, internalError] = [0, 2];

function streamBrokenHere({ rstCode, errored }: NonNullable<NodeResponse['stream']>): boolean {
  return rstCode === noError || (rstCode === internalError && !!errored && !isOfConnection(errored));
}

/** An error of the connection itself, and not one that the application gave to `destroy()`. */
function isOfConnection(error: object): boolean {
  return 'code' in error && /^(ECONN|EPIPE$|ETIMEDOUT$|HPE_|ERR_(HTTP2?|SSL|TLS)_)/.test(String(error.code));
}

function errorOf({ errored, stream }: NodeResponse): unknown {
  return errored ?? stream?.errored ?? undefined;
}
