import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';

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

const service = `
import { createServer } from 'node:http';
import { Health } from 'lifesign/node';
const server = createServer((_req, res) => res.writeHead(404).end());
new Health(server);
server.listen(0, '127.0.0.1', () => process.send('http://127.0.0.1:' + server.address().port));
process.once('SIGTERM', () => server.close(() => process.exit()));
`;

test('npx lifesign version and probe, npx lifesign-cli verify, each installed alone', async () => {
  // npx takes longer than what it runs: once for each package.
  const npx = (cwd: string, ...args: string[]) => execute('npx', ['--no-install', ...args], { cwd });
  await npx(folder, 'lifesign', 'version', '--set', 'commit=abc1234');
  writeFileSync(join(folder, 'server.mjs'), service);
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stdout?.on('data', (bytes) => (log += String(bytes)));
  const [origin] = await once(child, 'message');

  const identity = { commit: 'abc1234', version: '1.0.0' };
  expect(await (await fetch(`${origin}/__version__`)).json()).toEqual(identity);
  const lifesign = join(folder, 'node_modules/.bin/lifesign');
  expect((await execute(lifesign, ['probe', origin], { cwd: folder })).stdout).toMatch(/^ok 200 /);
  expect((await npx(tools, 'lifesign-cli', 'verify', origin, '--max-latency', '20s')).stdout).toContain(
    ' 0 failed',
  );
  child.kill('SIGTERM');
  await once(child, 'close');
  writeFileSync(join(tools, 'app.log'), log);
  const lifesignCli = join(tools, 'node_modules/.bin/lifesign-cli');
  const verified = await execute(lifesignCli, ['verify', '--logs', 'app.log'], { cwd: tools });
  expect(verified.stdout).toMatch(/^\d+ passed, 0 failed/m);
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
