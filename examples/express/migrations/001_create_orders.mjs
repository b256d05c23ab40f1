export async function up(db) {
  await db.schema
    .createTable('orders')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('item', 'text', (column) => column.notNull())
    .execute();
}
