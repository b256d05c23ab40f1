// Mistakes in external configuration. Not in core/options/errors.ts, because only the command and lifesign/auto load them.
import { LifesignError, shown } from '../core/options/errors.js';

export const fileUnusable = (file: string, verb: 'read' | 'written', cause: string) =>
  new LifesignError(
    'LIFESIGN_FILE',
    `${file} cannot be ${verb}: ${cause}. Check its name, its directory and its permissions.`,
  );

export const urlInvalid = (source: string, value: string, expects: string) =>
  new LifesignError('LIFESIGN_URL', `${source} is ${shown(value)}; it must be ${expects}.`);

export const packageMissing = (variable: string, packages: readonly string[]) =>
  new LifesignError(
    'LIFESIGN_PACKAGE_MISSING',
    `${variable} is set, but no client for it is installed (looked for ${packages.join(', ')}). ` +
      `Install one: npm install ${packages[0]}.`,
  );

export const configInvalid = (file: string, cause: string) =>
  new LifesignError(
    'LIFESIGN_CONFIG',
    `${file} cannot be used: ${cause}. Write export default { checks: { storage: async ({ signal }) => [] } }.`,
  );
