import { pathOf } from '../core/endpoints.js';
import { servedPaths } from '../core/routes.js';

/**
 * Whether a request is for a path that lifesign answers: the three endpoints, and whatever the Healths of this process serve
 * beside them, under the paths that their options give. For OpenTelemetry's instrumentation of HTTP, so that probes make no spans.
 *
 * @example new HttpInstrumentation({ ignoreIncomingRequestHook: ignoreHealthRequests })
 */
export function ignoreHealthRequests(request: { readonly url?: string | undefined }): boolean {
  const { url } = request;
  return typeof url === 'string' && servedPaths.has(pathOf(url));
}
