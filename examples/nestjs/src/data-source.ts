import { DataSource, type DataSourceOptions } from 'typeorm';
import { CreateOrders1700000000001 } from './migrations/1700000000001-create-orders.js';
import { AddPrice1700000000002 } from './migrations/1700000000002-add-price.js';
import { Order } from './orders/order.entity.js';

export const databaseOptions: DataSourceOptions = {
  type: 'better-sqlite3',
  database: process.env['DATABASE'] ?? 'shop.sqlite',
  entities: [Order],
  migrations: [CreateOrders1700000000001, AddPrice1700000000002],
};

/** For the TypeORM command line. */
export const dataSource = new DataSource(databaseOptions);
