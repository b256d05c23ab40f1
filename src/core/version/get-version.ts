import { loadReports } from '../reports/load.js';
import type { Version } from './version.js';

/**
 * The built-in version callback: the content of `version.json` in a directory, or undefined if there is none.
 *
 * @example const callback = async (path: string) => ({ ...(await getVersion(path)), region: 'eu' });
 */
export async function getVersion(versionPath: string): Promise<Version | undefined> {
  return loadReports().readVersion(versionPath);
}
