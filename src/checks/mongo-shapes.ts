import { hasMethods } from './client.js';

/** `MongoClient` of mongodb. */
export interface MongoDriver {
  db(name: string): { command(command: { ping: 1 }): Promise<unknown> };
  close(): Promise<unknown>;
}

/** A connection of mongoose: `mongoose.connection`. */
export interface MongooseConnection {
  getClient(): MongoDriver | null | undefined;
}

export const isDriver = (value: unknown): value is MongoDriver => hasMethods(value, 'db', 'startSession');
export const isMongoose = (value: unknown): value is MongooseConnection =>
  hasMethods(value, 'getClient', 'model');
