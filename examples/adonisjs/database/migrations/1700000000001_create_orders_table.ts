import { BaseSchema } from '@adonisjs/lucid/schema';

export default class extends BaseSchema {
  override async up() {
    this.schema.createTable('orders', (table) => {
      table.increments('id');
      table.string('item').notNullable();
    });
  }

  override async down() {
    this.schema.dropTable('orders');
  }
}
