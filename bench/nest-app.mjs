// The application of NestJS that the subjects have in common: one page, and a health endpoint as the documentation of @nestjs/terminus writes it.

/** Starts it; `checks` are its indicators by name, `route` answers every other GET and POST. Returns its port. */
export async function startNest({ checks, route, port = 0, delay, onShutdown }) {
  await import('reflect-metadata');
  const { Controller, Get, HttpCode, Module, Post, Req } = await import('@nestjs/common');
  const { NestFactory } = await import('@nestjs/core');
  const { HealthCheckService, HealthIndicatorService, TerminusModule } = await import('@nestjs/terminus');
  class HealthController {
    constructor(health, indicators) {
      Object.assign(this, { health, indicators });
    }
    check() {
      // As its documentation writes a custom indicator.
      const indicatorOf =
        ([name, check]) =>
        async () => {
          const indicator = this.indicators.check(name);
          try {
            await check();
            return indicator.up();
          } catch (error) {
            return indicator.down({ message: error.message });
          }
        };
      return this.health.check(Object.entries(checks).map(indicatorOf));
    }
    all(req) {
      return route(req.url);
    }
    posted(req) {
      return route(req.url);
    }
  }
  const { prototype } = HealthController;
  Reflect.defineMetadata('design:paramtypes', [HealthCheckService, HealthIndicatorService], HealthController);
  for (const [method, decorator, path] of [
    ['check', Get, 'health'],
    ['all', Get, '{*any}'],
    ['posted', Post, '{*any}'],
  ]) {
    Reflect.defineMetadata('design:paramtypes', [Object], prototype, method);
    if (method !== 'check') Req()(prototype, method, 0);
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method);
    // A POST of NestJS answers 201, and the load counts 200.
    if (method === 'posted') HttpCode(200)(prototype, method, descriptor);
    decorator(path)(prototype, method, descriptor);
  }
  Controller()(HealthController);
  class App {
    async onApplicationShutdown() {
      await onShutdown();
    }
  }
  Module({
    imports: [TerminusModule.forRoot({ gracefulShutdownTimeoutMs: delay })],
    controllers: [HealthController],
  })(App);
  const app = await NestFactory.create(App, { logger: false });
  app.enableShutdownHooks();
  await app.listen(port, '127.0.0.1');
  return app.getHttpServer().address().port;
}
