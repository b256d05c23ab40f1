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

const dog = nestWithTerminus("      () => this.dog.isHealthy('dog'),");
const controller = 'src/health/health.controller.ts';
const old = dog[controller] ?? '';
const terminus = { from: 'terminus', removes: '@nestjs/terminus' };
const replaced = "HEALTH_PROBES: { ready: ['/readyz', '/health'] },";
const stays = (why: string) => ({
  ...terminus,
  lines: { [controller]: [old], 'src/app.module.ts': ['HEALTH_CHECKS: { dog: DogHealthIndicator },'] },
  notes: [
    `${controller}:12: HealthController still serves its route, since ${why}`,
    'still uses @nestjs/terminus',
  ],
});

/** Controllers that are replaced, and those that do more. */
export const nestControllers = {
  'a health controller': {
    ...terminus,
    files: dog,
    lines: { 'src/app.module.ts': [replaced] },
    deleted: [controller],
    gone: ['terminus', 'HealthController'],
  },
  'a health controller of the root module': {
    ...terminus,
    files: {
      ...dog,
      'src/app.module.ts': `import { Module } from '@nestjs/common';\nimport { TerminusModule } from '@nestjs/terminus';\nimport { HealthController } from './health/health.controller';\nimport { DogHealthIndicator } from './health/dog.health';\nimport { Shop } from './shop';\n\n@Module({\n  imports: [TerminusModule],\n  controllers: [\n    Shop,\n    HealthController,\n  ],\n  providers: [DogHealthIndicator],\n})\nexport class AppModule {}\n`,
      'src/shop.ts': `import { Controller } from '@nestjs/common';\n\n@Controller()\nexport class Shop {}\n`,
      'src/health/health.module.ts': '',
    },
    lines: { 'src/app.module.ts': [replaced, '  controllers: [\n    Shop,\n  ],\n', 'TerminusModule],\n'] },
    deleted: [controller],
    gone: ['HealthController'],
    notes: ['src/app.module.ts:2 still uses @nestjs/terminus'],
  },
  'a documented health controller with an indicator of @nestjs/terminus': {
    ...terminus,
    files: {
      ...dog,
      'src/health/dog.health.ts':
        `import { HealthIndicator } from '@nestjs/terminus';\n${dog['src/health/dog.health.ts'] ?? ''}`.replace(
          'DogHealthIndicator {',
          'DogHealthIndicator extends HealthIndicator {',
        ),
      [controller]: old
        .replace("@Controller('health')", "@ApiTags('ops')\n@Controller('/ops/')")
        .replace('@Get()', "@Get('health')")
        .replace('  check()', '  async check()')
        .replace('return this', 'return await this'),
    },
    lines: {
      'src/app.module.ts': [replaced.replace('/health', '/ops/health')],
      'src/health/health.module.ts': ['@Module({ imports: [TerminusModule], controllers: [], providers:'],
    },
    deleted: [controller],
    gone: ['HealthController'],
    notes: ['src/health/dog.health.ts:1 still uses @nestjs/terminus'],
  },
  'a health controller below a prefix': {
    ...stays('src/main.ts changes the paths of routes'),
    files: {
      ...dog,
      'src/main.ts': (dog['src/main.ts'] ?? '').replace(
        '  await app.listen',
        "  app.setGlobalPrefix('api');\n  await app.listen",
      ),
    },
  },
  'a health controller with a test': {
    ...stays('src/health/health.controller.spec.ts uses it, too'),
    files: {
      ...dog,
      'src/health/health.controller.spec.ts': "import { HealthController } from './health.controller';\n",
    },
  },
  'a health controller with another route': {
    ...stays('it or its file does more than this check'),
    files: {
      ...dog,
      [controller]: old.replace(/\}\n$/, "\n  @Get('ping')\n  ping() {\n    return 'pong';\n  }\n}\n"),
    },
    lines: { [controller]: ["@Get('ping')"] },
  },
};
