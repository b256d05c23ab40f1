/** A NestJS application with @nestjs/terminus, by the body of its health check. */
export function nestWithTerminus(entries: string, quote = "'"): Readonly<Record<string, string>> {
  const files = {
    'package.json': `${JSON.stringify(
      {
        name: 'shop',
        scripts: { start: 'tsx src/main.ts' },
        dependencies: {
          '@nestjs/common': '^12.0.0',
          '@nestjs/core': '^12.0.0',
          '@nestjs/terminus': '^12.0.0',
        },
      },
      null,
      2,
    )}\n`,
    'tsconfig.json':
      '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }\n',
    'src/main.ts': `import { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module';\n\nasync function bootstrap() {\n  const app = await NestFactory.create(AppModule);\n  await app.listen(process.env.PORT ?? 3000);\n}\nvoid bootstrap();\n`,
    'src/app.module.ts': `import { Module } from '@nestjs/common';\nimport { HealthModule } from './health/health.module';\n\n@Module({\n  imports: [\n    HealthModule,\n  ],\n})\nexport class AppModule {}\n`,
    'src/health/health.module.ts': `import { Module } from '@nestjs/common';\nimport { TerminusModule } from '@nestjs/terminus';\nimport { HealthController } from './health.controller';\nimport { DogHealthIndicator } from './dog.health';\n\n@Module({ imports: [TerminusModule], controllers: [HealthController], providers: [DogHealthIndicator] })\nexport class HealthModule {}\n`,
    'src/health/dog.health.ts': `import { Injectable } from '@nestjs/common';\n\n@Injectable()\nexport class DogHealthIndicator {\n  isHealthy(key: string) {\n    return { [key]: { status: 'up' as const } };\n  }\n}\n`,
    'src/health/health.controller.ts': `import { Controller, Get } from '@nestjs/common';
import {
  DiskHealthIndicator,
  HealthCheck,
  HealthCheckService,
  HttpHealthIndicator,
  MemoryHealthIndicator,
  TypeOrmHealthIndicator,
} from '@nestjs/terminus';
import { DogHealthIndicator } from './dog.health';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly http: HttpHealthIndicator,
    private readonly db: TypeOrmHealthIndicator,
    private readonly disk: DiskHealthIndicator,
    private readonly memory: MemoryHealthIndicator,
    private readonly dog: DogHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([
${entries}
    ]);
  }
}
`,
  };
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      name.endsWith('.ts') ? text.replaceAll("'", quote) : text,
    ]),
  );
}
