import type { ArgumentsHost, ExceptionFilter, HttpServer } from '@nestjs/common';
import { type ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import { isObject } from '../../core/objects.js';
import { replace } from '../../core/replace.js';
import { attempt } from '../../core/runtime.js';
import { noteError, type NodeRequest } from '../../http/node/serve.js';

/**
 * Nest answers errors of handlers, guards and pipes before any platform sees them: its global filters add them to the summaries, and one
 * that Nest asks after all others. To be called before Nest registers the routes; returns a function that ends that.
 */
export function noteThrown(config: ApplicationConfig, adapter: HttpServer): () => void {
  const filters = config.getGlobalFilters();
  const releases = filters.map((filter) => {
    const answer = filter.catch.bind(filter);
    return replace(filter, 'catch', (thrown, host) => {
      note(host, thrown);
      return answer(thrown, host);
    });
  });
  const last = new Unanswered(adapter);
  // Nest asks the last filter first.
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
