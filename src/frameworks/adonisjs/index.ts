import { fileURLToPath } from 'node:url';
import type { HeartbeatEvent, LoopEvent, VerdictEvent } from '../../core/heartbeat/signals.js';
import type { AdonisCheck, AdonisSettings } from './health.js';

export * from '../../profiles/entry.js';
export { requestId } from '../../core/request/request.js';
export { noteError } from '../../http/node/serve.js';
export { getVersion } from '../../core/version/version.js';
export { configure } from './configure.js';
export { Health } from './health.js';
export type { AdonisCheck, AdonisSettings };

/** The directory of the stubs for `node ace configure lifesign`. */
export const stubsRoot: string = fileURLToPath(new URL('../../../stubs/adonisjs', import.meta.url));

/**
 * The health settings in `config/health.ts`.
 *
 * @example export default defineConfig({ BASE_DIR: app.makePath(), DEBUG: app.inDev });
 */
export function defineConfig(settings: AdonisSettings): AdonisSettings {
  return settings;
}

declare module '@adonisjs/core/types' {
  interface EventsList {
    /** A heartbeat that passed. */
    'lifesign:heartbeatPassed': HeartbeatEvent;
    /** A heartbeat that failed. */
    'lifesign:heartbeatFailed': HeartbeatEvent;
    /** The event loop was blocked, and when it ended. */
    'lifesign:loopBlocked': LoopEvent;
    'lifesign:loopFreed': LoopEvent;
    /** A verdict of the probes has changed. */
    'lifesign:verdictChanged': VerdictEvent;
  }
}
