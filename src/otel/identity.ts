import { environment } from '../core/runtime.js';
import {
  applicationRoot,
  parentOf,
  repositoryAddress,
  versionReader,
  workingDirectory,
} from '../core/version.js';
import { buildFields } from '../metrics/series.js';

/** Attributes by their names in OpenTelemetry's semantic conventions. */
export type Attributes = Readonly<Record<string, string>>;

/** The identity in a version object: a field that is missing has no attribute. */
export function resourceAttributes(versionObject: Readonly<Record<string, unknown>>): Attributes {
  const { version, commit, source } = buildFields(versionObject);
  const values = {
    'service.version': version,
    'vcs.ref.head.revision': commit,
    'vcs.repository.url.full': repositoryAddress(source) ?? '',
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** Reads the identity from the places where any framework looks, because the SDK starts first; empty without a `version.json`. Never rejects. */
export async function readIdentity(): Promise<Attributes> {
  const { HEALTH_VERSION_PATH: versionPath } = environment();
  const root = applicationRoot();
  const directories = versionPath ? [versionPath] : [workingDirectory(), root, parentOf(root)];
  const outcome = await versionReader(directories)();
  return outcome.kind === 'found' ? resourceAttributes(JSON.parse(outcome.json)) : {};
}
