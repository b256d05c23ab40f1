export async function up(db) {
  await db.schema.alterTable('orders').addColumn('price', 'integer').execute();
}
