import { LifesignError } from '../core/options/errors.js';

export const configInvalid = (file: string, cause: string) =>
  new LifesignError(
    'LIFESIGN_CONFIG',
    `${file} cannot be used: ${cause}. Write export default { checks: { storage: async ({ signal }) => [] } }.`,
  );
