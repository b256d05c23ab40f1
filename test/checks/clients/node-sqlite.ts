// Run by a Node that has `node:sqlite`: prints what the check says of a database that is open, then closed.
import { checkDatabaseConnected } from 'lifesign/checks';

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => {
    prepare(sql: string): { all(): unknown };
    exec(sql: string): void;
    close(): void;
  };
}

const name: string = 'node:sqlite';
const sqlite: SqliteModule = await import(name);
const database = new sqlite.DatabaseSync(':memory:');
const check = checkDatabaseConnected(database);
const context = { signal: new AbortController().signal, name: 'tested' };
const open = await check(context);
database.close();
const closed = await check(context);
console.log(JSON.stringify({ node: process.versions.node, open, closed }));
