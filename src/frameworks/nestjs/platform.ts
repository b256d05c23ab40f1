import type { ArgumentsHost, ExceptionFilter, HttpServer } from '@nestjs/common';
import { type ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import { hasMethods } from '../../checks/client.js';
import { isObject } from '../../core/objects.js';
import { replace } from '../../core/replace.js';
import { attempt } from '../../core/runtime.js';
import type { HealthCore } from '../../core/health.js';
import { type FastifyHooks, serveByHooks } from '../fastify/hooks.js';
import { watchServer } from '../../http/node/watch-server.js';
import {
  type HandlingApp,
  noteError,
  type NodeRequest,
  serveBeforeHandle,
  serveFirst,
} from '../../http/node/serve.js';

/**
 * Puts the endpoints before the platform itself: no global prefix, version, guard, pipe, filter or middleware of the
 * application can take a probe down.
 */
export function serveBefore(
  health: HealthCore<NodeRequest>,
  adapter: HttpServer,
  config: ApplicationConfig,
): void {
  const app: unknown = adapter.getInstance();
  // Tests and serverless hosts call Express and Fastify themselves and never use the server.
  if (adapter.getType() === 'express' && isExpress(app)) {
    serveBeforeHandle(health, app);
    watchServer(health, adapter.getHttpServer());
  } else if (adapter.getType() === 'fastify' && isFastify(app)) {
    serveByHooks(health, app);
    serveFirst(health, adapter.getHttpServer());
  } else {
    serveFirst(health, adapter.getHttpServer(), { next: (context, req) => context?.note(req) });
  }
  if (health.options.summary) health.onClose(noteThrown(config, adapter));
}

function isExpress(app: unknown): app is HandlingApp {
  return hasMethods(app, 'handle', 'use');
}

function isFastify(app: unknown): app is FastifyHooks {
  return hasMethods(app, 'addHook');
}

/**
 * Nest answers errors of handlers, guards and pipes before any platform sees them: its global filters add them to the summaries, and one
 * that Nest calls after all others. To be called before Nest registers the routes; returns a function that ends that.
 */
function noteThrown(config: ApplicationConfig, adapter: HttpServer): () => void {
  const filters = config.getGlobalFilters();
  const releases = filters.map((filter) => {
    const answer = filter.catch.bind(filter);
    return replace(filter, 'catch', (thrown, host) => {
      note(host, thrown);
      return answer(thrown, host);
    });
  });
  const last = new Unanswered(adapter);
  // Nest calls the last filter first.
  filters.unshift(last);
  return () => {
    for (const release of releases) release();
    if (filters.includes(last)) filters.splice(filters.indexOf(last), 1);
  };
}

/** Answers as Nest does without it. */
class Unanswered extends BaseExceptionFilter implements ExceptionFilter {
  override catch(thrown: unknown, host: ArgumentsHost): void {
    // Without a response it is a message or a resolver, to which Nest's own handler answers.
    const response: unknown = host.getArgByIndex(1);
    if (host.getType() !== 'http' || !isObject(response) || !('statusCode' in response)) return;
    note(host, thrown);
    // oxlint-disable-next-line promise/valid-params -- the method of an exception filter
    super.catch(thrown, host);
  }
}

function note(host: ArgumentsHost, thrown: unknown): void {
  attempt(() => {
    if (host.getType() === 'http') noteError(host.switchToHttp().getRequest<NodeRequest>(), thrown);
  });
}
