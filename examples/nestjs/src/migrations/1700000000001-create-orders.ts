import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrders1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner) {
    await runner.query('CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, item VARCHAR NOT NULL)');
  }

  async down(runner: QueryRunner) {
    await runner.query('DROP TABLE orders');
  }
}
