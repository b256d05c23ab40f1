import winston from 'winston';
import { winstonConfig } from 'lifesign/logging';
import { identity, Sink } from './own-records.js';

/** A winston of winstonConfig, with options beside it. */
export const makeWinston = (options: winston.LoggerOptions = {}) => {
  const sink = new Sink();
  const transports = [new winston.transports.Stream({ stream: sink })];
  return {
    sink,
    log: winston.createLogger({
      ...winstonConfig({ ...identity, level: 'silly' }),
      transports,
      ...options,
    }),
  };
};
