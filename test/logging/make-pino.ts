import pino from 'pino';
import { logConfig } from 'lifesign/logging';
import { identity, Sink } from './own-records.js';

/** A pino of logConfig, with options beside it. */
export const makePino = (options: object = {}) => {
  const sink = new Sink();
  return { sink, log: pino({ ...logConfig({ ...identity, level: 'trace' }), ...options }, sink) };
};
