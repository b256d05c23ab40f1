import { pathname, servedPaths } from '../core/endpoints.js';
import { attempt, environment } from '../core/runtime.js';
import type { Attributes } from './identity.js';

/** A resource detector, as `@opentelemetry/resources` 2 has it. */
interface ResourceDetector {
  detect(): { attributes: Record<string, Promise<string | undefined>> };
}

/** Which build a service is, by the names of OpenTelemetry's semantic conventions. */
const identityNames = ['service.version', 'vcs.ref.head.revision', 'vcs.repository.url.full'] as const;

/**
 * Reads `service.version`, `vcs.ref.head.revision` and `vcs.repository.url.full` from `version.json`, except those that
 * `OTEL_RESOURCE_ATTRIBUTES` sets.
 *
 * @example new NodeSDK({ resourceDetectors: [envDetector, versionDetector] })
 */
export const versionDetector: ResourceDetector = {
  detect() {
    const set = namesIn(environment()['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
    // Imported here: modules that are loaded before the SDK has started escape its instrumentations.
    const identity = import('./identity.js')
      .then(({ readIdentity }) => readIdentity())
      .catch((): Attributes => ({}));
    const unset = identityNames.filter((name) => !set.has(name));
    return {
      attributes: Object.fromEntries(
        unset.map((name) => [name, identity.then((attributes) => attributes[name])]),
      ),
    };
  },
};

/**
 * Whether a request is for a path that lifesign answers: the three endpoints, and all that the Healths of this process serve
 * besides them, under the paths in their options. For OpenTelemetry's HTTP instrumentation, so that probes create no spans.
 *
 * @example new HttpInstrumentation({ ignoreIncomingRequestHook: ignoreHealthRequests })
 */
export function ignoreHealthRequests(request: { readonly url?: string | undefined }): boolean {
  const { url } = request;
  return typeof url === 'string' && servedPaths.has(pathname(url));
}

/** The names in `key=value,key=value`, which may be percent-encoded. */
function namesIn(attributes: string): ReadonlySet<string> {
  const keys = attributes.split(',').map((pair) => pair.split('=', 1).join().trim());
  return new Set(keys.map((key) => attempt(() => decodeURIComponent(key)) ?? key));
}
