import type { ArgumentsHost, CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { type ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import { type Observable, tap } from 'rxjs';
import { replace } from '../../core/replace.js';
import { attempt } from '../../core/runtime.js';
import { noteError, type NodeRequest } from '../../http/node/serve.js';

/** Nest's handler of everything that is thrown, in this copy of Nest; successful requests do not reach it. */
interface ExceptionsHandler {
  next: (exception: unknown, host: ArgumentsHost) => void;
}

/** The class whose `next` we wrap; undefined if there is none in this copy of Nest. */
let watching: Promise<ExceptionsHandler | undefined> | undefined;
let watched: ExceptionsHandler | undefined;
/** How many applications use it, and the function that restores the handler after the last. */
let applications = 0;
let giveBack = () => {};

/**
 * Nest handles errors of handlers, guards and pipes before any platform sees them. To be called before `noteThrown`.
 * The handler is not part of Nest's public interface: if it cannot be found, an interceptor takes its place.
 */
export async function watchThrown(
  load: () => Promise<object> = () => import('@nestjs/core/exceptions/exceptions-handler.js'),
): Promise<boolean> {
  watching ??= load().then(prototypeOf, () => undefined);
  watched = await watching;
  return watched !== undefined;
}

/** Adds errors of handlers to the summaries, by an interceptor if the handler was not found; returns a function that ends that. */
export function noteThrown(config: ApplicationConfig): () => void {
  if (watched !== undefined) return watchHandler(watched);
  // An interceptor makes Nest run every request through rxjs: 50 µs and more.
  const errorNote = new ErrorNote();
  config.useGlobalInterceptors(errorNote);
  return () => {
    const all = config.getGlobalInterceptors();
    if (all.includes(errorNote)) all.splice(all.indexOf(errorNote), 1);
  };
}

function watchHandler(prototype: ExceptionsHandler): () => void {
  applications += 1;
  if (applications === 1) {
    const { next } = prototype;
    giveBack = replace(prototype, 'next', function (this: unknown, exception, host) {
      note(host, exception);
      return Reflect.apply(next, this, [exception, host]);
    });
  }
  return () => {
    applications -= 1;
    if (applications === 0) giveBack();
  };
}

/** That of the handler, if it is of the same copy of Nest: one that is bundled has its own. */
function prototypeOf(module: object): ExceptionsHandler | undefined {
  const handler: unknown = Reflect.get(module, 'ExceptionsHandler');
  const prototype: unknown = typeof handler === 'function' ? handler.prototype : undefined;
  return prototype instanceof BaseExceptionFilter && isHandler(prototype) ? prototype : undefined;
}

function isHandler(value: object): value is ExceptionsHandler {
  return 'next' in value && typeof value.next === 'function';
}

class ErrorNote implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(tap({ error: (thrown) => note(context, thrown) }));
  }
}

function note(host: ArgumentsHost, thrown: unknown): void {
  attempt(() => {
    if (host.getType() !== 'http') return;
    const request = host.switchToHttp().getRequest<NodeRequest & { readonly raw?: NodeRequest }>();
    noteError(request.raw ?? request, thrown);
  });
}
