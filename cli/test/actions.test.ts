import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { Health } from 'lifesign/node';
import { writeProject } from './init/write-project.js';
import { inProcess, type Outcome } from './run.js';

const root = resolve(import.meta.dirname, '../..');

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly shell: string;
      readonly run: string;
      readonly env: Record<string, string>;
    }[];
  };
}

/** The part of SARIF 2.1.0 that readers need. */
interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: {
      readonly driver: { readonly name: string; readonly rules: readonly { readonly id: string }[] };
    };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations?: readonly unknown[];
    }[];
  }[];
}

const actionOf = (name: string): Action =>
  parse(readFileSync(join(root, `actions/${name}/action.yml`), 'utf8'));
const bin = (): string => join(inject('builtCli'), 'dist/bin.js');

/** An `npx` that runs the lifesign-cli of this build, and only that. */
function pathWithNpx(cwd: string): string {
  const folder = join(cwd, '.npx');
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/bash\nset -e\n[ "$1" = --yes ]\ncase "$2" in lifesign-cli|lifesign-cli@*) ;; *) exit 9 ;; esac\nshift 2\nexec "${process.execPath}" "${bin()}" "$@"\n`;
  writeFileSync(join(folder, 'npx'), script);
  chmodSync(join(folder, 'npx'), 0o755);
  return `${folder}:${process.env['PATH']}`;
}

function started(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Outcome> {
  const child = spawn(command, args, { cwd, env: { ...env, PATH: pathWithNpx(cwd) } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (stderr += String(bytes)));
  return new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr })));
}

/** Runs the steps of an action as GitHub does: expressions become variables, the script is a file of bash. */
async function act(name: string, inputs: Record<string, string>, cwd: string): Promise<Outcome> {
  const action = actionOf(name);
  expect(action.runs.using).toBe('composite');
  for (const input of Object.keys(inputs)) expect(Object.keys(action.inputs)).toContain(input);
  const [step] = action.runs.steps;
  if (step === undefined || action.runs.steps.length > 1) throw new Error('One step is expected');
  // An expression in a script would let an input run commands.
  expect(step.run).not.toContain('${{');
  const env = Object.fromEntries(
    Object.entries(step.env).map(([variable, expression]) => {
      const input = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(expression)?.[1] ?? '';
      const value = inputs[input] ?? action.inputs[input]?.default;
      if (value === undefined) throw new Error(`${variable} has no value`);
      return [variable, value.replace('${{ github.sha }}', '')];
    }),
  );
  writeFileSync(join(cwd, '.step.sh'), step.run);
  const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '.step.sh'];
  return started('bash', args, cwd, { ...env, GITHUB_WORKSPACE: cwd });
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  replicas: 2
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      containers:
        - name: shop
          image: shop:1
          ports: [{ containerPort: 8000 }]
          livenessProbe: { httpGet: { path: /__heartbeat__, port: 8000 } }
`;

test('doctor: annotations at the lines, for names with any character', async () => {
  const cwd = writeProject({ 'deploy/a, b: 100%.yaml': deployment });
  const { code, stdout } = await act('doctor', { files: 'deploy', options: '--skip=no-readiness\n' }, cwd);
  expect(code).toBe(1);
  const commands = stdout.split('\n').filter((line) => line.startsWith('::'));
  expect(commands.find((line) => line.includes('liveness-checks'))).toMatch(
    /^::error file=deploy\/a%2C b%3A 100%25\.yaml,line=14,title=hazard%3A liveness-checks::Deployment shop, container shop: The liveness probe requests .*%0AWrite:%0A.*%0Ahttps:\/\/\S+$/,
  );
  expect(commands.every((line) => /^::(?:error|warning) file=.*,line=\d+,title=[^,:]*::./.test(line))).toBe(
    true,
  );
  expect(stdout).not.toContain('no-readiness');
});

test('doctor: file names are from the folder of the repository, standard input has none', async () => {
  const cwd = writeProject({ 'apps/shop/deploy.yaml': deployment });
  const inner = { cwd: join(cwd, 'apps/shop'), env: { GITHUB_WORKSPACE: cwd } };
  expect((await inProcess(['doctor', '--github', 'deploy.yaml'], inner)).stdout).toContain(
    '::error file=apps/shop/deploy.yaml,line=14,',
  );
  const stdin = (async function* () {
    yield deployment;
  })();
  expect((await inProcess(['doctor', '--github', '-'], { cwd, stdin })).stdout).toContain(
    '::error title=hazard%3A ',
  );
  expect((await inProcess(['doctor', '--github', '--json'], { cwd })).code).toBe(2);
});

test('doctor: SARIF with file and line', async () => {
  const cwd = writeProject({ 'apps/shop/a b#1.yaml': deployment });
  const acted = await act('doctor', { files: 'apps', sarif: 'out.sarif' }, cwd);
  expect(acted.code).toBe(1);
  const inner = { cwd: join(cwd, 'apps/shop'), env: { GITHUB_WORKSPACE: cwd } };
  const printed = await inProcess(['doctor', '--sarif', '-'], inner);
  const log: Sarif = JSON.parse(readFileSync(join(cwd, 'out.sarif'), 'utf8'));
  const locations = (text: string): unknown[] =>
    (JSON.parse(text) as Sarif).runs.flatMap(({ results }) => results.map((result) => result.locations));
  expect(locations(printed.stdout)).toEqual(locations(JSON.stringify(log)));
  expect(log).toMatchObject({
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'lifesign-cli doctor' } } }],
  });
  const [run] = log.runs;
  const { rules } = run?.tool.driver ?? { rules: [] };
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  for (const { ruleId, ruleIndex, level, message } of run?.results ?? []) {
    expect(rules[ruleIndex]?.id).toBe(ruleId);
    expect(['error', 'warning']).toContain(level);
    expect(message.text).toMatch(/^Deployment shop, container shop: /);
  }
  const liveness = run?.results.find(({ ruleId }) => ruleId === 'liveness-checks');
  expect(liveness?.locations).toEqual([
    {
      physicalLocation: { artifactLocation: { uri: 'apps/shop/a%20b%231.yaml' }, region: { startLine: 14 } },
    },
  ]);
  const stdin = (async function* () {
    yield deployment;
  })();
  expect(locations((await inProcess(['doctor', '--sarif', '-', '-'], { cwd, stdin })).stdout)).toContain(
    undefined,
  );
  expect((await inProcess(['doctor', '--sarif', '-', '--json'], { cwd })).code).toBe(2);
  expect((await inProcess(['doctor', '--sarif', 'no/such/folder.sarif', 'apps'], { cwd })).code).toBe(2);
});

test('verify and wait on a running service, and on one that does not answer', async () => {
  const cwd = writeProject({ 'version.json': '{"commit":"0123456789abcdef"}' });
  const server = createServer((_req, res) => res.writeHead(404).end());
  new Health(server, { versionPath: cwd, logger: { log() {} } });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const waited = await act('wait', { urls: `\n${origin}\n`, commit: '0123456', options: '--for=0s' }, cwd);
  expect(waited.code, waited.stdout + waited.stderr).toBe(0);
  const verified = await act(
    'verify',
    { url: origin, junit: 'out.xml', options: '--max-latency=30s\n--timeout=30s' },
    cwd,
  );
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
  expect(existsSync(join(cwd, 'out.xml'))).toBe(true);
  await once(server.close(), 'close');
  expect(await act('verify', { url: origin }, cwd)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('::error title=lifesign verify::'),
  });
  expect(await act('wait', { urls: origin, options: '--timeout=1s' }, cwd)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('::error title=lifesign wait::'),
  });
});

test('the hook of pre-commit runs doctor on the repository', async () => {
  const [hook] = parse(readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')) as {
    readonly id: string;
    readonly name: string;
    readonly entry: string;
    readonly args: readonly string[];
    readonly files: string;
    readonly language: string;
    readonly pass_filenames: boolean;
  }[];
  expect(hook).toMatchObject({ id: 'lifesign-doctor', language: 'system', pass_filenames: false });
  const [command = '', ...args] = [...(hook?.entry.split(' ') ?? []), ...(hook?.args ?? [])];
  const cwd = writeProject({ 'deploy.yaml': deployment });
  const { code, stdout } = await started(command, args, cwd, {});
  expect([code, stdout]).toEqual([1, expect.stringContaining('deploy.yaml:14  hazard: liveness-checks')]);
  const pattern = new RegExp(hook?.files ?? '');
  for (const name of ['Dockerfile', 'api/Dockerfile.prod', 'k8s/a.yml', 'job.nomad'])
    expect(name).toMatch(pattern);
  for (const name of ['src/app.ts', 'README.md']) expect(name).not.toMatch(pattern);
});
