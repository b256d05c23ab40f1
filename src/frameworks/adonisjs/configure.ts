/** `Configure` of `@adonisjs/core/commands/configure`, as far as it is used: the package's own entry exports this. */
interface ConfigureCommand {
  readonly app: { readonly appRoot: URL };
  createCodemods(): Promise<{
    makeUsingStub(root: string, stub: string, state: Record<string, never>): Promise<unknown>;
    updateRcFile(
      edit: (rcFile: {
        addProvider(path: string): unknown;
        addMetaFile(pattern: string, reloadServer?: boolean): unknown;
      }) => void,
    ): Promise<unknown>;
    registerMiddleware(
      stack: 'server',
      middleware: { readonly path: string; readonly position: 'before' }[],
    ): Promise<unknown>;
  }>;
}

/** Called by `node ace configure lifesign` of AdonisJS: writes the provider, the middleware and `config/health.ts`. */
export async function configure(command: ConfigureCommand): Promise<void> {
  // The entry that exports this runs on workers and as CommonJS, too: no import of Node, no import.meta.
  const { createRequire } = process.getBuiltinModule('node:module');
  const manifest = createRequire(command.app.appRoot).resolve('lifesign/package.json');
  const stubsRoot = manifest.replace(/package\.json$/, 'stubs/adonisjs');
  const codemods = await command.createCodemods();
  await codemods.makeUsingStub(stubsRoot, 'config/health.stub', {});
  await codemods.updateRcFile((rcFile) => {
    rcFile.addProvider('lifesign/adonisjs/health_provider');
    // `node ace build` copies it beside the compiled application; no restart while developing.
    rcFile.addMetaFile('version.json', false);
  });
  await codemods.registerMiddleware('server', [
    { path: 'lifesign/adonisjs/health_middleware', position: 'before' },
  ]);
}
