import type { Adapters } from '../recognise.js';
import type { Database } from './database.js';
import { mysqlCallbacks, mysqlConnection, mysqlPool } from './mysql.js';
import { postgresJs } from './postgres-js.js';
import { pgClient, pgPool } from './postgresql.js';
import type { DriverClients } from './shapes.js';
import { sqlite } from './sqlite.js';

/** Adapters of clients that speak to a database themselves. */
export const drivers: Adapters<DriverClients, Database> = {
  pgPool,
  pgClient,
  postgresJs,
  mysqlCallbacks,
  mysqlPool,
  mysqlConnection,
  sqlite,
};
