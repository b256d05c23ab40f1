import { fileURLToPath } from 'node:url';
import type Configure from '@adonisjs/core/commands/configure';

/** Where the stubs of `node ace configure lifesign/adonisjs` are. */
export const stubsRoot: string = fileURLToPath(new URL('../../../stubs/adonisjs', import.meta.url));

/** `node ace configure lifesign/adonisjs`: the provider, the middleware and `config/health.ts`. */
export async function configure(command: Configure): Promise<void> {
  const codemods = await command.createCodemods();
  await codemods.makeUsingStub(stubsRoot, 'config/health.stub', {});
  await codemods.updateRcFile((rcFile) => {
    rcFile.addProvider('lifesign/adonisjs/health_provider');
  });
  await codemods.registerMiddleware('server', [
    { path: 'lifesign/adonisjs/health_middleware', position: 'before' },
  ]);
}
