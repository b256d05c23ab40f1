import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { snippetsOf } from '../../../test/examples/snippets.js';
import { inProcess } from '../run.js';
import { whole } from '../../../test/whole.js';
import { leftAlone, migrated } from './old-applications.js';
import { nestWithTerminus } from './old-nest.js';
import { writeProject } from './write-project.js';

const read = (cwd: string, name: string): string => readFileSync(join(cwd, name), 'utf8');

/** The programs of a guide: before, after, and what follows. */
async function programsOf(page: string): Promise<string[]> {
  const snippets = await snippetsOf(`docs/migrating-from-${page}.md`);
  return snippets.filter(({ language, note }) => language === 'js' && note === '').map(({ code }) => code);
}

/** A program of a guide as init writes it. */
async function written(from: string, code: string, dependencies: object): Promise<string> {
  const manifest = { name: 'shop', type: 'module', scripts: { start: 'node server.js' }, dependencies };
  const cwd = writeProject({ 'package.json': JSON.stringify(manifest, null, 2), 'server.js': code });
  const { code: exit, stderr } = await inProcess(['init', '--from', from, '--write', '--no-start'], { cwd });
  expect(exit, stderr).toBe(0);
  return read(cwd, 'server.js');
}

describe('the examples of the guides', () => {
  test('@godaddy/terminus', async () => {
    const [before = '', after = ''] = await programsOf('godaddy-terminus');
    const wanted = after.replace(
      "health.check('uploads', () => access('uploads'));",
      "health.check('healthcheck', async () => {\n  await access('uploads');\n});",
    );
    expect(wanted).not.toBe(after);
    expect(await written('godaddy-terminus', before, { '@godaddy/terminus': '^4.12.1' })).toBe(wanted);
  });

  test('lightship', async () => {
    const [before = '', after = ''] = await programsOf('lightship');
    // The guide throws in the callback of listen, init keeps the listener for errors.
    const wanted = after
      .replace(
        /const server = app\.listen\(.*?\n\}\);\n/s,
        "const server = app\n  .listen(process.env.PORT ?? 8080, () => health.started())\n  .on('error', () => drain.start());\n",
      )
      .replace('\ndrainOnSignals(', '\nconst drain = drainOnSignals(');
    expect(wanted).not.toBe(after);
    expect(await written('lightship', before, { express: '^5.0.0', lightship: '^7.0.0' })).toBe(wanted);
  });

  test('@nestjs/terminus', async () => {
    const snippets = await snippetsOf('docs/migrating-from-nestjs-terminus.md');
    const [before = '', after = ''] = snippets.map(({ code }) => code);
    const controller = 'src/health/health.controller.ts';
    const files = nestWithTerminus('');
    const cwd = writeProject({
      ...files,
      [controller]: `${files[controller]?.slice(0, files[controller].indexOf('@Controller')) ?? ''}${before}`,
    });
    const { code, stderr } = await inProcess(['init', '--from', 'terminus', '--write', '--no-start'], {
      cwd,
    });
    expect(code, stderr).toBe(0);
    const checks = /HEALTH_CHECKS: \[(?<path>'[^']+'), (?<type>\w+)\]/.exec(after)?.groups;
    expect(read(cwd, 'src/app.module.ts')).toContain(
      `HEALTH_CHECKS: { database: ${checks?.['path']}, dog: ${checks?.['type']} },`,
    );
    expect(read(cwd, 'src/app.module.ts')).toContain("HEALTH_PROBES: { ready: ['/readyz', '/health'] },");
    expect(existsSync(join(cwd, controller))).toBe(false);
    expect(read(cwd, 'src/health/health.module.ts')).toBe(
      "import { Module } from '@nestjs/common';\nimport { DogHealthIndicator } from './dog.health';\n\n@Module({ imports: [], controllers: [], providers: [DogHealthIndicator] })\nexport class HealthModule {}\n",
    );
    expect(read(cwd, 'package.json')).not.toContain('terminus');
    expect(read(cwd, 'src/app.module.ts')).toContain(
      "consumer.apply(HealthMiddleware).forRoutes('{*path}');",
    );
  });

  test('@fastify/under-pressure, which goes on turning requests away', async () => {
    const [before = '', , both = ''] = await programsOf('under-pressure');
    const result = await written('under-pressure', before, {
      '@fastify/under-pressure': '^9.0.0',
      fastify: '^5.0.0',
    });
    const head = both.slice(0, both.indexOf('health.check'));
    expect(result.startsWith(head)).toBe(true);
    expect(result).toContain(
      "health.check('healthCheck', async () => {\n  await access('uploads');\n});\nawait app.register(underPressure, {\n" +
        '  maxEventLoopDelay: 1000,\n  maxEventLoopUtilization: 0.98,\n  maxRssBytes: 1_000_000_000,\n});\n',
    );
  });
});

describe.each(Object.entries(migrated))(
  '%s',
  (_name, { from, files, lines, gone = [], deleted = [], notes = [], removes }) => {
    test('is migrated, and a second run changes nothing', async () => {
      const cwd = writeProject(files);
      const plain = await inProcess(['init'], { cwd });
      expect(plain.stderr).toMatch(new RegExp(`Found \\S+: add --from ${from},`));
      const { code, stdout, stderr } = await inProcess(['init', '--from', from], { cwd });
      expect(code, stderr).toBe(0);
      for (const hunk of stdout.split('\n').filter((line) => line.startsWith('@@')))
        expect(hunk).toMatch(/^@@ \S+ \S+ @@ \S/);
      writeFileSync(join(cwd, 'init.diff'), stdout);
      execFileSync('git', ['apply', 'init.diff'], { cwd });
      for (const [name, wanted] of Object.entries(lines))
        for (const line of wanted) expect(read(cwd, name)).toContain(line);
      for (const name of deleted) expect(existsSync(join(cwd, name))).toBe(false);
      const all = Object.keys(files)
        .filter((name) => name !== 'package.json' && !deleted.includes(name))
        .map((name) => read(cwd, name))
        .join('\n');
      for (const text of gone) expect(all).not.toContain(text);
      for (const note of notes) expect(stderr).toContain(note);
      const { dependencies }: { dependencies: object } = JSON.parse(read(cwd, 'package.json'));
      expect(dependencies).toHaveProperty('lifesign');
      expect(removes in dependencies).toBe(notes.some((note) => note.includes('still uses')));
      expect(await inProcess(['init', '--from', from], { cwd })).toMatchObject({ code: 0, stdout: '' });
      expect(await inProcess(['init'], { cwd })).toMatchObject({ code: 0, stdout: '' });
    });
  },
);

test.each(Object.entries(leftAlone))(
  '%s: says so with its place, and changes nothing',
  async (_name, { from, files, note }) => {
    const cwd = writeProject(files);
    const { code, stdout, stderr } = await inProcess(['init', '--from', from, '--write', '--no-start'], {
      cwd,
    });
    expect(code, stdout + stderr).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(note);
    expect(stderr).toMatch(/\(docs\/migrating-from-[\w-]+\.md\)/);
    for (const [name, text] of Object.entries(files)) expect(read(cwd, name)).toBe(text);
  },
);

// It starts an application.
const started = whole ? ['dog'] : [];
test.each(started)('checks of @nestjs/terminus run as checks of lifesign: %s', async () => {
  const files = nestWithTerminus("      () => this.dog.isHealthy('dog'),");
  const packages = ['common', 'core', 'platform-express', 'terminus'].map((name) => `@nestjs/${name}`);
  const cwd = writeProject(files, [...packages, 'reflect-metadata', 'rxjs', 'tsx']);
  const { code, stdout, stderr } = await inProcess(['init', '--from', 'terminus', '--write'], { cwd });
  expect(`${stdout}${stderr}`).toMatch(/ 0 failed/);
  expect(code).toBe(0);
});

test('misuse, and a project that does not have the package', async () => {
  const cwd = writeProject({ 'package.json': '{"name":"shop"}', 'index.js': '' });
  expect((await inProcess(['init', '--from', 'pm2'], { cwd })).stderr).toContain('--from takes ');
  const { code, stderr } = await inProcess(['init', '--from', 'lightship'], { cwd });
  expect([code, stderr]).toEqual([1, expect.stringContaining('No file imports lightship')]);
});
