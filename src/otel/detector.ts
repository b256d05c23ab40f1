import { attempt, environment } from '../core/runtime.js';
import type { Attributes } from './identity.js';
import { identityNames } from './identity-names.js';

/** A resource detector, as `@opentelemetry/resources` 2 has it. */
interface ResourceDetector {
  detect(): { attributes: Record<string, Promise<string | undefined>> };
}

/**
 * Reads `service.version`, `vcs.ref.head.revision` and `vcs.repository.url.full` from `version.json`, except those that
 * `OTEL_RESOURCE_ATTRIBUTES` sets.
 *
 * @example new NodeSDK({ resourceDetectors: [envDetector, versionDetector] })
 */
export const versionDetector: ResourceDetector = {
  detect() {
    const taken = namesIn(environment()['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
    const identity = import('./identity.js')
      .then(({ readIdentity }) => readIdentity())
      .catch((): Attributes => ({}));
    const free = identityNames.filter((name) => !taken.has(name));
    return {
      attributes: Object.fromEntries(free.map((name) => [name, identity.then((found) => found[name])])),
    };
  },
};

/** The names in `key=value,key=value`, which may be percent-encoded. */
function namesIn(attributes: string): ReadonlySet<string> {
  const keys = attributes.split(',').map((pair) => pair.split('=', 1).join().trim());
  return new Set(keys.map((key) => attempt(() => decodeURIComponent(key)) ?? key));
}
