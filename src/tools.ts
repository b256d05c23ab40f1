// The parts of the runtime for lifesign-cli, which imports nothing else of this folder.
export { unreachable } from './command/probe.js';
export {
  type Command,
  duration,
  fileUnusable,
  type Io,
  painter,
  parse,
  type Program,
  run,
  type Style,
  urlInvalid,
  usageInvalid,
} from './command/program.js';
export { isMessageLevel, levels } from './core/heartbeat/messages.js';
export { type Status, statusOf } from './core/heartbeat/result.js';
export { helpFor, homepage, isExplained, moreAbout } from './core/options/errors.js';
export { integer, levelName } from './core/options/rules.js';
export { printable, printableJson } from './core/scrub/printable.js';
export { clean, describe, families, scrub, textOf } from './core/scrub/scrub.js';
export { messageSections } from './explain/messages.js';
export {
  type Block,
  find,
  meant,
  type Piece,
  plainText,
  type Section,
  silencing,
} from './explain/section.js';
export { age, count } from './page/html.js';
