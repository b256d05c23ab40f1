import { pathOf } from '../core/endpoints.js';
import { servedPaths } from '../core/routes.js';

/**
 * Whether a request is for a path that lifesign answers: the three endpoints, and whatever the Healths of this process serve
 * besides them, under the paths in their options. For OpenTelemetry's HTTP instrumentation, so that probes create no spans.
 *
 * @example new HttpInstrumentation({ ignoreIncomingRequestHook: ignoreHealthRequests })
 */
export function ignoreHealthRequests(request: { readonly url?: string | undefined }): boolean {
  const { url } = request;
  return typeof url === 'string' && servedPaths.has(pathOf(url));
}
