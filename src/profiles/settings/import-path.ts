import { existsSync } from 'node:fs';
import Module from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importPathInvalid } from './errors.js';
import { describe } from '../../core/scrub/scrub.js';
import { isRecord } from '../../core/objects.js';

export interface Imported {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Loads `<module>.<export>`: the module is what `import()` resolves from the base directory (a package, a
 * `#subpath`, a relative file), or a dotted path of folders under it.
 *
 * @example await importPath('HEALTH_CHECKS', './checks/storage.js.storageReachable', '/app');
 */
export async function importPath(setting: string, path: string, baseDir: string): Promise<Imported> {
  const dot = path.lastIndexOf('.');
  const specifier = path.slice(0, Math.max(dot, 0));
  const name = path.slice(dot + 1);
  if (specifier === '' || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) {
    throw importPathInvalid(setting, path, 'it does not name an export');
  }
  let module: unknown;
  try {
    module = await importerAt(baseDir)(dottedFile(specifier, baseDir) ?? specifier);
  } catch (thrown) {
    const reason = describe(thrown);
    const importedFrom = ` imported from ${importerFile(baseDir)}`;
    if (!reason.includes(importedFrom)) throw importPathInvalid(setting, path, reason, { cause: thrown });
    // Its message and its stack name a file that does not exist.
    const hint = dotted.test(specifier)
      ? `, and BASE_DIR has no file ${specifier.replaceAll('.', '/')}.js`
      : '';
    throw importPathInvalid(setting, path, reason.replace(importedFrom, '') + hint);
  }
  // Exports of CommonJS modules are not always named exports: read `default` too.
  const named = isRecord(module) ? module : {};
  const exports = { ...(isRecord(named['default']) && named['default']), ...named };
  if (!Object.hasOwn(exports, name)) {
    const known = Object.keys(exports).join(', ') || 'none';
    throw importPathInvalid(setting, path, `the module has no export ${name}; its exports are: ${known}`);
  }
  return { name, value: exports[name] };
}

const dotted = /^[\w$-]+(?:\.[\w$-]+)*$/;
const extensions = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** `acme.checks` is the file `acme/checks.js` or `acme/checks/index.js` of the base directory, if there is one. */
function dottedFile(specifier: string, baseDir: string): string | undefined {
  if (!dotted.test(specifier)) return undefined;
  const place = join(resolve(baseDir), ...specifier.split('.'));
  const file = [place, join(place, 'index')]
    .flatMap((stem) => extensions.map((extension) => stem + extension))
    .find((candidate) => existsSync(candidate));
  return file && pathToFileURL(file).href;
}

type Importer = (specifier: string) => Promise<unknown>;

/**
 * An `import()` that resolves as if it were in a file of the base directory. `import.meta.resolve` takes no parent
 * and `require.resolve` does not know the conditions of `import`; a module compiled in place has both right.
 */
function importerAt(baseDir: string): Importer {
  const file = importerFile(baseDir);
  const module = new Module(file);
  module.filename = file;
  const compile: unknown = Reflect.get(module, '_compile');
  const code = 'module.exports = (specifier) => import(specifier)';
  if (typeof compile === 'function') Reflect.apply(compile, module, [code, file]);
  return isImporter(module.exports) ? module.exports : (specifier) => import(specifier);
}

const importerFile = (baseDir: string) => join(resolve(baseDir), 'lifesign-settings.cjs');

function isImporter(value: unknown): value is Importer {
  return typeof value === 'function';
}
