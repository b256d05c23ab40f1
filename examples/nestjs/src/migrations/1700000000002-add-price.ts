import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddPrice1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner) {
    await runner.query('ALTER TABLE orders ADD COLUMN price INTEGER NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner) {
    await runner.query('ALTER TABLE orders DROP COLUMN price');
  }
}
