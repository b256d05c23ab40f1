import app from '@adonisjs/core/services/app';
import { defineConfig } from 'lifesign/adonisjs';

export default defineConfig({
  BASE_DIR: app.makePath(),
  DEBUG: !app.inProduction,
  HEALTH_CHECKS: [
    'lifesign/checks.checkDatabaseConnected',
    'lifesign/checks.checkMigrationsApplied',
    './app/checks/storage.js.storageReachable',
    './app/checks/heap.js.heap',
  ],
});
