// Makes and writes lines: loaded with the first.
export { JsonLogFormatter } from '../line/json-log-formatter.js';
export { PrettyFormatter } from '../line/pretty.js';
export { LineWriter } from './line-writer.js';
