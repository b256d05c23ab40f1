import { Ignitor, prettyPrintError } from '@adonisjs/core';

const root = new URL('../', import.meta.url);
const importer = (path: string) => import(path.startsWith('.') ? new URL(path, root).href : path);

await new Ignitor(root, { importer })
  .ace()
  .handle(process.argv.slice(2))
  .catch((error: unknown) => {
    process.exitCode = 1;
    return prettyPrintError(error);
  });
