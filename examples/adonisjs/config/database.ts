import app from '@adonisjs/core/services/app';
import { defineConfig } from '@adonisjs/lucid';

export default defineConfig({
  connection: 'sqlite',
  connections: {
    sqlite: {
      client: 'better-sqlite3',
      connection: { filename: process.env['DATABASE'] ?? app.tmpPath('shop.sqlite') },
      useNullAsDefault: true,
      migrations: { naturalSort: true, paths: ['database/migrations'] },
    },
  },
});
