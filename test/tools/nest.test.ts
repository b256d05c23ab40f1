import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { projectWith } from '../package/project.js';

const run = promisify(execFile);

/** What a generated application has installed, without its linters. */
const common = [
  'reflect-metadata@0.2',
  'rxjs@7',
  'supertest@7',
  '@types/supertest@7',
  '@types/express@5',
  '@types/node@24',
];
const nest = (major: number) =>
  ['cli', 'common', 'core', 'platform-express', 'testing'].map((name) => `@nestjs/${name}@${major}`);
const majors = [
  {
    major: 11,
    packages: [
      ...common,
      ...nest(11),
      'jest@30',
      'ts-jest@29',
      '@types/jest@30',
      'typescript@5.9.3',
      'ts-loader@9',
    ],
    unit: ['node_modules/jest/bin/jest.js'],
    e2e: ['node_modules/jest/bin/jest.js', '--config', './test/jest-e2e.json'],
  },
  {
    major: 12,
    packages: [
      ...common,
      ...nest(12),
      'vitest@4.1.12',
      'vite@8.3.5',
      'rolldown@1.2.15',
      'vite-tsconfig-paths@5',
      'typescript@6.0.3',
    ],
    unit: ['node_modules/vitest/vitest.mjs', 'run'],
    e2e: ['node_modules/vitest/vitest.mjs', 'run', '--config', './vitest.config.e2e.ts'],
  },
];

describe.each(majors)('nest new, NestJS $major', async ({ major, packages, unit, e2e }) => {
  const cwd = (await projectWith(`nest${major}`, packages, inject('tarball'))) ?? '';
  const app = join(cwd, 'app');
  const node = (args: readonly string[], directory = app) =>
    run(process.execPath, args, { cwd: directory, env: { ...process.env, CI: 'true' } });
  /** From the packages of the project, which stands above. */
  const tool = ([script = '', ...args]: readonly string[]) => node([join(cwd, script), ...args]);

  test.skipIf(cwd === '')('its own tests, ours beside them, the build and the start', async () => {
    await rm(app, { recursive: true, force: true });
    const create = ['new', 'app', '--skip-install', '--skip-git', '--package-manager', 'npm'];
    await node([join(cwd, 'node_modules/@nestjs/cli/bin/nest.js'), ...create], cwd);

    // What docs/nestjs.md says to add, and nothing else.
    const file = join(app, 'src/app.module.ts');
    const source = (await readFile(file, 'utf8'))
      .replace(
        "import { Module } from '@nestjs/common';",
        "import { MiddlewareConsumer, Module } from '@nestjs/common';\nimport { HealthMiddleware, HealthModule } from 'lifesign/nestjs';\n\nfunction storage() {\n  return [];\n}",
      )
      .replace(
        'imports: []',
        'imports: [HealthModule.forRoot({ BASE_DIR: process.cwd(), HEALTH_CHECKS: [storage] })]',
      )
      .replace(
        'export class AppModule {}',
        "export class AppModule {\n  configure(consumer: MiddlewareConsumer) {\n    consumer.apply(HealthMiddleware).forRoutes('{*path}');\n  }\n}",
      );
    await writeFile(file, source);
    const e2eFile = join(app, 'test/app.e2e-spec.ts');
    const asking =
      "it('/__heartbeat__', () => request(app.getHttpServer()).get('/__heartbeat__').expect(200).expect({ status: 'ok' }));\n\n  afterEach(";
    const tests = await readFile(e2eFile, 'utf8');
    await writeFile(
      e2eFile,
      tests.includes('afterEach(')
        ? tests.replace('afterEach(', asking)
        : tests.replace(/\}\);\s*$/, `  ${asking.replace('afterEach(', '')}});\n`),
    );

    for (const runner of [unit, e2e]) await tool(runner);
    expect(await readFile(e2eFile, 'utf8')).toContain('__heartbeat__');

    await tool(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', 'dist']);
    const started = spawn(process.execPath, ['dist/main.js'], {
      cwd: app,
      env: { ...process.env, PORT: '0' },
    });
    let output = '';
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (piece) => (output += piece));
    await expect.poll(() => output, { timeout: 30_000 }).toContain('successfully started');
    started.kill('SIGKILL');
    await once(started, 'exit');
  });
});
