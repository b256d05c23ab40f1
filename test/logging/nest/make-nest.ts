import { NestLogger } from 'lifesign/logging';
import { identity, Sink } from '../own-records.js';

/** A NestLogger, and what it writes. */
export const makeNest = (options: ConstructorParameters<typeof NestLogger>[0] = {}) => {
  const sink = new Sink();
  return { sink, log: new NestLogger({ ...identity, write: (line) => sink.write(line), ...options }) };
};
