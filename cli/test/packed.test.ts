import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { serving } from './serving.js';

const execute = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lifesign-packed-'));
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { stdout } = await execute('npm', pack, { cwd: inject('built') });
  // No scripts and no registry: the package has no dependency to fetch.
  writeFileSync(join(folder, 'package.json'), '{"name":"bill","version":"1.0.0","private":true}');
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await execute('npm', [...install, join(folder, stdout.trim())], { cwd: folder });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('npx lifesign version, serve, probe and verify in an empty folder', async () => {
  const npx = ['npx', '--no-install', 'lifesign'];
  const lifesign = (...args: string[]) => execute('npx', [...npx.slice(1), ...args], { cwd: folder });

  await lifesign('version', '--set', 'commit=abc1234');
  const identity = { commit: 'abc1234', version: '1.0.0' };
  expect(JSON.parse(readFileSync(join(folder, 'version.json'), 'utf8'))).toEqual(identity);

  const bin = join(folder, 'node_modules/.bin/lifesign');
  const service = await serving([bin, 'serve'], { cwd: folder });
  try {
    expect(await (await fetch(`${service.origin}/__version__`)).json()).toEqual(identity);
    expect((await lifesign('probe', service.origin)).stdout).toMatch(/^ok 200 /);
    expect((await lifesign('verify', service.origin, '--max-latency', '20s')).stdout).toContain(' 0 failed');
    // npx itself in front of the service.
    const child = await serving([...npx, 'serve'], { cwd: folder });
    expect((await fetch(`${child.origin}/__lbheartbeat__`)).status).toBe(200);
    await child.stop();
  } finally {
    expect(await service.stop()).toBe(0);
  }
  writeFileSync(join(folder, 'app.log'), service.output());
  expect((await lifesign('verify', '--logs', 'app.log')).stdout).toMatch(/^\d+ passed, 0 failed/m);
});

test('npm sbom, as the release does it: lifesign, and nothing that it brings along', async () => {
  const command = 'npm sbom --omit dev --sbom-format cyclonedx';
  const checklist = readFileSync(join(import.meta.dirname, '../../docs/releasing.md'), 'utf8');
  expect(checklist).toContain(command);
  const { stdout } = await execute('sh', ['-c', command], { cwd: folder });
  const { version } = JSON.parse(readFileSync(join(inject('built'), 'package.json'), 'utf8'));
  const bill: {
    bomFormat: string;
    components: { name: string; version: string; purl: string; licenses: unknown }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  } = JSON.parse(stdout);
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(bill.components).toMatchObject([
    {
      name: 'lifesign',
      version,
      purl: `pkg:npm/lifesign@${version}`,
      licenses: [{ license: { id: 'MIT' } }],
    },
  ]);
  expect(bill.dependencies).toContainEqual({ ref: `lifesign@${version}`, dependsOn: [] });
});
