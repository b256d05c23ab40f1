import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isError } from '../../core/objects.js';
import { shown } from '../../core/options/errors.js';
import { baseDirInvalid } from './errors.js';

/** The setting `BASE_DIR` as a path; throws if it is not an existing directory. */
export function requireBaseDir(given: unknown): string {
  if (given === undefined || given === null || given === '') throw baseDirInvalid('not defined');
  const path = pathOf(given);
  try {
    if (statSync(path).isDirectory()) return path;
  } catch (thrown) {
    const missing = isError(thrown) && 'code' in thrown && thrown.code === 'ENOENT';
    throw baseDirInvalid(`${shown(path)}, which ${missing ? 'does not exist' : 'cannot be read'}`);
  }
  throw baseDirInvalid(`${shown(path)}, which is not a directory`);
}

function pathOf(given: unknown): string {
  if (typeof given === 'string' && !/^file:/i.test(given)) return given;
  if (typeof given !== 'string' && !(given instanceof URL))
    throw baseDirInvalid(`${shown(given)}, which is not a path`);
  try {
    return fileURLToPath(given);
  } catch {
    throw baseDirInvalid(`${shown(given)}, which is not a local file: URL`);
  }
}
