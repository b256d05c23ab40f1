import { environment } from '../core/runtime.js';
import { applicationRoot, parentOf, workingDirectory } from '../core/version/application-root.js';
import { VersionSource } from '../core/version/version.js';
import { buildOf } from '../metrics/build-fields.js';
import { identityNames } from './identity-names.js';

/** Attributes by their names in OpenTelemetry's semantic conventions. */
export type Attributes = Readonly<Record<string, string>>;

/** The identity in a version object: a field that is missing has no attribute. */
export function identityOf(versionObject: Readonly<Record<string, unknown>>): Attributes {
  const { version, commit, source } = buildOf(versionObject);
  const values = [version, commit, repositoryOf(source)];
  return Object.fromEntries(
    identityNames.map((name, index) => [name, values[index] ?? '']).filter(([, value]) => value !== ''),
  );
}

/** The address of a repository in a browser, as the conventions want it: no credentials, no query, no `.git`. */
function repositoryOf(source: string): string {
  if (!/^https?:/i.test(source) || !URL.canParse(source)) return '';
  const { origin, pathname } = new URL(source);
  let end = pathname.length;
  while (pathname[end - 1] === '/') end -= 1;
  const path = pathname.slice(0, end);
  return `${origin}${path.endsWith('.git') ? path.slice(0, -4) : path}`;
}

/** Where `version.json` is looked for. */
type Places = Pick<ConstructorParameters<typeof VersionSource>[0], 'versionPath' | 'versionFallbacks'>;

/** Reads the identity; empty without a `version.json`, or with a broken one. Never rejects. */
export async function readIdentity(places: Places = usualPlaces()): Promise<Attributes> {
  const outcome = await new VersionSource({ ...places, timeout: 0 }).read();
  return outcome.kind === 'found' ? identityOf(JSON.parse(outcome.json)) : {};
}

/** The places of every framework: the SDK starts before the framework is known. */
function usualPlaces(): Places {
  const { HEALTH_VERSION_PATH: versionPath } = environment();
  if (versionPath) return { versionPath, versionFallbacks: [] };
  const root = applicationRoot();
  return { versionPath: workingDirectory(), versionFallbacks: [root, parentOf(root)] };
}
