import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { serving } from './serving.js';

const execute = promisify(execFile);
/** Where lifesign is installed, and where lifesign-cli is. */
let [folder, tools] = ['', ''];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lifesign-packed-'));
  tools = mkdtempSync(join(tmpdir(), 'lifesign-cli-packed-'));
  for (const place of [folder, tools]) {
    writeFileSync(join(place, 'package.json'), '{"name":"bill","version":"1.0.0","private":true}');
  }
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  const runtime = await execute('npm', pack, { cwd: inject('built') });
  // No registry: the package has no dependency to fetch.
  await execute('npm', [...install, '--offline', join(folder, runtime.stdout.trim())], { cwd: folder });
  const cli = await execute('npm', pack, { cwd: inject('builtCli') });
  await execute('npm', [...install, '--prefer-offline', join(folder, cli.stdout.trim())], { cwd: tools });
}, 120_000);
afterAll(() => {
  for (const place of [folder, tools]) rmSync(place, { recursive: true, force: true });
});

test('npx lifesign version and probe, npx lifesign-cli serve and verify, each installed alone', async () => {
  // npx takes longer than what it runs: once for each package.
  const npx = ['npx', '--no-install'];
  const binary = (name: string, cwd: string) => {
    const path = join(cwd, 'node_modules/.bin', name);
    return (...args: string[]) => execute(path, args, { cwd });
  };
  const lifesign = binary('lifesign', folder);
  const lifesignCli = binary('lifesign-cli', tools);

  await execute('npx', [...npx.slice(1), 'lifesign', 'version', '--set', 'commit=abc1234'], { cwd: folder });
  const identity = { commit: 'abc1234', version: '1.0.0' };
  const file = readFileSync(join(folder, 'version.json'), 'utf8');
  expect(JSON.parse(file)).toEqual(identity);
  writeFileSync(join(tools, 'version.json'), file);

  const bin = join(tools, 'node_modules/.bin/lifesign-cli');
  const service = await serving([bin, 'serve'], { cwd: tools });
  try {
    expect(await (await fetch(`${service.origin}/__version__`)).json()).toEqual(identity);
    expect((await lifesign('probe', service.origin)).stdout).toMatch(/^ok 200 /);
    expect((await lifesignCli('verify', service.origin, '--max-latency', '20s')).stdout).toContain(
      ' 0 failed',
    );
    // npx itself in front of the service.
    const child = await serving([...npx, 'lifesign-cli', 'serve'], { cwd: tools });
    expect((await fetch(`${child.origin}/__lbheartbeat__`)).status).toBe(200);
    await child.stop();
  } finally {
    expect(await service.stop()).toBe(0);
  }
  writeFileSync(join(tools, 'app.log'), service.output());
  expect((await lifesignCli('verify', '--logs', 'app.log')).stdout).toMatch(/^\d+ passed, 0 failed/m);
});

test('npm sbom, as the release does it: lifesign, and nothing that it brings along', async () => {
  const command = 'npm sbom --omit dev --sbom-format cyclonedx';
  const checklist = readFileSync(join(import.meta.dirname, '../../contributing/releasing.md'), 'utf8');
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
