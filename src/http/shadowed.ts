import { levels } from '../core/heartbeat/levels.js';
import type { LogRecord } from '../core/log.js';

/** The part of an engine that is used. */
interface Answering {
  paths(): readonly string[];
  log(record: LogRecord): void;
}

/** Warns of routes of the application at paths that lifesign answers: called by frameworks that know their routes. */
export function warnOfShadowed(engine: Answering, isRoute: (path: string) => boolean): void {
  const paths = engine.paths().filter(isRoute);
  if (paths.length === 0) return;
  const msg = `lifesign answers ${paths.join(', ')} before the application: its own route there is never reached. Change that route, or the path in the options.`;
  engine.log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg });
}
