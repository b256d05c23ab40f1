import { BaseSchema } from '@adonisjs/lucid/schema';

export default class extends BaseSchema {
  override async up() {
    this.schema.alterTable('orders', (table) => {
      table.integer('price').notNullable().defaultTo(0);
    });
  }

  override async down() {
    this.schema.alterTable('orders', (table) => {
      table.dropColumn('price');
    });
  }
}
