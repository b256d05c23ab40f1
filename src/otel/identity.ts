import { environment } from '../core/runtime.js';
import {
  applicationRoot,
  parentOf,
  repositoryAddress,
  versionReader,
  workingDirectory,
} from '../core/version.js';
import { buildOf } from '../metrics/series.js';

/** Attributes by their names in OpenTelemetry's semantic conventions. */
export type Attributes = Readonly<Record<string, string>>;

/** The identity in a version object: a field that is missing has no attribute. */
export function identityOf(versionObject: Readonly<Record<string, unknown>>): Attributes {
  const { version, commit, source } = buildOf(versionObject);
  const values = {
    'service.version': version,
    'vcs.ref.head.revision': commit,
    'vcs.repository.url.full': repositoryAddress(source) ?? '',
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** Reads the identity from where every framework has it, because the SDK starts before the framework is known; empty without a `version.json`. Never rejects. */
export async function readIdentity(): Promise<Attributes> {
  const { HEALTH_VERSION_PATH: given } = environment();
  const root = applicationRoot();
  const directories = given ? [given] : [workingDirectory(), root, parentOf(root)];
  const outcome = await versionReader(directories)();
  return outcome.kind === 'found' ? identityOf(JSON.parse(outcome.json)) : {};
}
