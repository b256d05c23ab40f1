import { defineConfig } from '@adonisjs/core/app';

export default defineConfig({
  commands: [() => import('@adonisjs/core/commands'), () => import('@adonisjs/lucid/commands')],

  providers: [
    () => import('@adonisjs/core/providers/app_provider'),
    () => import('@adonisjs/lucid/database_provider'),
    () => import('lifesign/adonisjs/health_provider'),
  ],

  preloads: [() => import('./start/routes.js'), () => import('./start/kernel.js')],

  metaFiles: [{ pattern: 'version.json', reloadServer: false }],
});
