import { LifesignError } from '../../core/options/errors.js';

export const appStarted = (framework: string, cause: unknown) =>
  new LifesignError(
    'LIFESIGN_APP_STARTED',
    `This ${framework} has already started. Create Health before ready(), listen() or inject(): right after you create the application, or in a plugin.`,
    { cause },
  );
