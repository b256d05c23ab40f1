import { catchRejection } from '../../core/guard.js';
import { levels } from '../../core/heartbeat/levels.js';
import { optionInvalid } from '../../core/options/errors.js';
import { replace } from '../../core/replace.js';
import type { NodeRequest, NodeResponse } from '../node/request.js';
import { noteError } from '../node/serve.js';
import { isExchange, type NodeServer } from '../node/watch-server.js';
import { type Closing, errorsOf, type ErrorHost } from './open.js';

/** Whether a request asked for an error: then the application has it, and answers. */
export type HandError = (req: NodeRequest, res: NodeResponse) => boolean;

/** For plain servers of Node, whose error handler is a function of the application; undefined if the endpoint is off. */
export function handErrors(engine: ErrorHost): HandError | undefined {
  const { errorEndpoint } = engine.options;
  if (errorEndpoint === undefined) return undefined;
  const { onError } = errorEndpoint;
  if (onError === undefined) {
    const expects = 'a function that takes the error, the request and the response';
    const fix =
      'node:http has no error handler: write errorEndpoint: { token, onError: (error, req, res) => … }.';
    throw optionInvalid('Option errorEndpoint.onError', onError, expects, fix);
  }
  const errors = errorsOf(engine);
  return (req, res) => {
    const { url = '' } = req;
    const error = errors?.(url, req, noteError);
    if (error === undefined) return false;
    const failed = (thrown: unknown) => {
      const msg = 'errorEndpoint.onError failed';
      engine.log({ logger: 'health', level: levels.error, time: Date.now(), fields: {}, msg, error: thrown });
      // Nothing else would end it.
      res.destroy?.();
    };
    try {
      catchRejection(Reflect.apply(onError, undefined, [error, req, res]), failed);
    } catch (thrown) {
      failed(thrown);
    }
    return true;
  };
}

/** Hands errors out before the listeners of a server see the request. */
export function handBefore(engine: Closing, server: NodeServer, handError: HandError): void {
  const emit = server.emit.bind(server);
  const handing: NodeServer['emit'] = (event, ...args) => {
    if (!engine.closed && isExchange(event, args) && handError(args[0], args[1])) return true;
    return emit(event, ...args);
  };
  engine.onClose(replace(server, 'emit', handing));
}
