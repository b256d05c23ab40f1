// Applies the migrations, as `typeorm migration:run` does.
import 'reflect-metadata';
import { dataSource } from './data-source.js';

await dataSource.initialize();
await dataSource.runMigrations();
await dataSource.destroy();
