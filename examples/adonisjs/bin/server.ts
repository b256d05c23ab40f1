import { Ignitor, prettyPrintError } from '@adonisjs/core';

const root = new URL('../', import.meta.url);
const importer = (path: string) => import(path.startsWith('.') ? new URL(path, root).href : path);

await new Ignitor(root, { importer })
  .tap((app) => {
    app.listen('SIGTERM', () => app.terminate());
    app.listenIf(app.managedByPm2, 'SIGINT', () => app.terminate());
  })
  .httpServer()
  .start()
  .catch((error: unknown) => {
    process.exitCode = 1;
    return prettyPrintError(error);
  });
