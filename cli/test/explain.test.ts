import { expect, test } from 'vitest';
import { inProcess, lifesignCli } from './run.js';

const listed = async (): Promise<{ id: string; title: string }[]> =>
  JSON.parse((await inProcess(['explain', '--list', '--json'])).stdout);

test('explains an id offline: what it means, what to check, how to silence it', async () => {
  const { code, stdout, stderr } = await inProcess(['explain', 'health.E001']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^health\.E001\n\nCannot connect to the database\. /);
  expect(stdout).toContain('nc -vz');
  expect(stdout).toContain("silencedChecks: ['health.E001']");
  expect(stdout).toContain("maxLevel: 'info'");
});

test('the built command has the same sections as the docs', async () => {
  const all = (await listed()).map(({ id }) => id);
  expect(all.length).toBeGreaterThan(30);
  const [built, read] = [await lifesignCli(['explain', ...all]), await inProcess(['explain', ...all])];
  expect(built).toEqual(read);
  expect(built.code).toBe(0);
});

test.each(['E001', 'e001', 'HEALTH.e001', 'health.E001'])('%s is health.E001', async (id) => {
  expect(await inProcess(['explain', id])).toEqual(await inProcess(['explain', 'health.E001']));
});

test('a rule of verify, also of one endpoint, and a rule of doctor', async () => {
  const { stdout } = await inProcess(['explain', 'vary', 'same-target']);
  expect(stdout).toMatch(/^vary\n\nmust \(section 2\.2\); should for probes\. `Vary` names/);
  expect(stdout).toContain('A hazard. Liveness and readiness request the same path');
  expect((await inProcess(['explain', 'heartbeat.vary', 'same-target'])).stdout).toBe(stdout);
});

test('a misspelt id: exit code 2, and the nearest one is named', async () => {
  const { code, stdout, stderr } = await inProcess(['explain', 'health.E01']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^lifesign-cli: Unknown id "health\.E01"; did you mean health\.E001\?/);
});

test('an id of an application is told from one of ours; what was typed reaches no terminal unescaped', async () => {
  expect(await inProcess(['explain', 'shop.E001'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'lifesign-cli: "shop.E001" is not an id of lifesign, but of the application that reports it. See lifesign-cli explain --help. (LIFESIGN_USAGE)\n',
  });
  const { code, stderr } = await inProcess(['explain', '\u001B[2J\u202Ehealth']);
  expect(code).toBe(2);
  for (const sign of ['\u001B', '\u202E']) expect(stderr).not.toContain(sign);
  expect((await inProcess(['explain'])).code).toBe(2);
  expect((await inProcess(['explain', ''])).code).toBe(2);
  expect((await inProcess(['explain', '--list', 'health.E001'])).code).toBe(2);
});

test('--list and --json', async () => {
  const { stdout } = await inProcess(['explain', '--list']);
  const list = await listed();
  expect(stdout.trimEnd().split('\n').length).toBe(list.length);
  for (const { title } of list) expect(stdout).toContain(`${title}\n`);
  const [one] = JSON.parse((await inProcess(['explain', 'E012', '--json'])).stdout);
  expect(one).toMatchObject({ id: 'health.E012', silence: expect.stringContaining('health.E012') });
  expect(Object.keys(one)).toEqual(['id', 'title', 'text', 'silence']);
});
