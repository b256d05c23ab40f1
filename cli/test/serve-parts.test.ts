// The parts of `lifesign-cli serve` in this process, with packages that a test makes; the command as a whole is in serve.test.ts.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase, openRedis } from '../../src/config/clients.js';
import { loadConfig, requireChecks } from '../../src/config/file.js';
import { drainOnSignals } from 'lifesign/drain';
import { until } from '../../test/core/waiting.js';
import { inProcess } from './run.js';

// It ends the process that it runs in.
vi.mock('lifesign/drain', () => ({ drainOnSignals: vi.fn() }));

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-parts-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** A package of the project, as CommonJS. */
function install(name: string, code: string): void {
  const directory = join(cwd, 'node_modules', name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, main: 'index.js' }));
  writeFileSync(join(directory, 'index.js'), code);
}

/** A package that is installed here, and no other. */
function link(name: string): void {
  mkdirSync(join(cwd, 'node_modules'), { recursive: true });
  symlinkSync(join(import.meta.dirname, '../../node_modules', name), join(cwd, 'node_modules', name));
}

const pool = `class Pool {
  constructor(...given) { this.given = given; this.listeners = []; this.totalCount = 0; this.idleCount = 0; this.waitingCount = 0; }
  connect() {} query() {} on(event) { this.listeners.push(event); } end() { return 'ended'; }
}`;
const mysqlPool = `({ given, getConnection() {}, query() {}, end() { return 'ended'; } })`;
const sqlite = `class { constructor(path) { this.path = path; } prepare() {} exec() {} close() { return 'closed'; } }`;
const redis = `class Redis {
  constructor(...given) { this.given = given; this.status = 'ready'; }
  on() {} once(event, done) { if (event === 'ready') done(); } listenerCount() {} removeListener() {}
  call() {} ping() {} info() {} duplicate() {} disconnect() { return 'disconnected'; } quit() { return 'quit'; }
}`;

describe('a client for a URL', () => {
  test.each<[string, string, string, string, unknown]>([
    [
      'pg',
      `${pool} exports.Pool = Pool;`,
      'postgres://u@h/db',
      'pg',
      { connectionString: 'postgres://u@h/db', max: 1 },
    ],
    [
      'pg',
      `${pool} exports.Pool = Pool;`,
      'postgresql://h/db',
      'pg',
      { connectionString: 'postgresql://h/db', max: 1 },
    ],
    [
      'mysql2',
      `exports.createPool = (...given) => ${mysqlPool};`,
      'mysql://h/db',
      'mysql2',
      { uri: 'mysql://h/db', connectionLimit: 1 },
    ],
    [
      'mariadb',
      `exports.createPool = (...given) => ${mysqlPool};`,
      'mysql://h/db',
      'mariadb',
      'mariadb://h/db',
    ],
  ])('%s is made with one connection, and told once of errors', async (name, code, url, library, given) => {
    install(name, code);
    const opened = await openDatabase(url, cwd);
    expect(opened.library).toBe(library);
    expect(Reflect.get(opened.client, 'given')).toEqual([given]);
    expect(opened.close()).toBe('ended');
    if (name === 'pg') expect(Reflect.get(opened.client, 'listeners')).toEqual(['error']);
  });

  test('of SQLite is a file that exists, from here or from the root', async () => {
    install('better-sqlite3', `module.exports = ${sqlite};`);
    writeFileSync(join(cwd, 'my app.db'), '');
    for (const url of [
      'sqlite:my%20app.db',
      'sqlite3://my app.db?mode=ro',
      `file:${join(cwd, 'my app.db')}`,
    ]) {
      const opened = await openDatabase(url, cwd);
      expect(opened.library).toBe('better-sqlite3');
      expect(Reflect.get(opened.client, 'path')).toBe(join(cwd, 'my app.db'));
      expect(opened.close()).toBe('closed');
    }
    await expect(openDatabase('sqlite:none.db', cwd)).rejects.toThrow('the path of an existing file');
  });

  test.each(['redis://h', 'rediss://h', 'valkey://h'])('%s is made with ioredis', async (url) => {
    install('ioredis', `${redis} exports.Redis = Redis;`);
    const opened = await openRedis(url, cwd);
    expect(opened.library).toBe('ioredis');
    expect(Reflect.get(opened.client, 'given')).toEqual([url.replace('valkey', 'redis')]);
    expect(opened.close()).toBe('disconnected');
  });

  test.each(['ioredis', 'iovalkey', 'redis'])(
    'of %s, whose server is down, is let go of without waiting for it',
    async (name) => {
      link(name);
      const { client, library, close } = await openRedis('redis://127.0.0.1:1', cwd);
      expect(library).toBe(name);
      // node-redis has to be told to connect.
      expect(Reflect.get(client, 'isOpen')).not.toBe(false);
      await close();
      await until(() => Reflect.get(client, 'isOpen') === false || Reflect.get(client, 'status') === 'end');
      // Closed already: nothing to do.
      await close();
    },
  );

  test('of postgres is made with one connection', async () => {
    link('postgres');
    const { client, library, close } = await openDatabase('postgres://u@127.0.0.1:1/db', cwd);
    expect([library, Reflect.get(client, 'options')]).toEqual([
      'postgres',
      expect.objectContaining({ max: 1 }),
    ]);
    await close();
  });

  test('of SQLite is made with libsql, or with what Node has', async () => {
    writeFileSync(join(cwd, 'app.db'), '');
    const ofNode = openDatabase('sqlite:app.db', cwd);
    if (process.getBuiltinModule('node:sqlite')) {
      const { library, close } = await ofNode;
      expect(library).toBe('node:sqlite');
      close();
    } else {
      await expect(ofNode).rejects.toThrow(/\(looked for better-sqlite3, libsql\)/);
    }
    link('libsql');
    const { client, library, close } = await openDatabase('sqlite:app.db', cwd);
    expect([library, Reflect.get(client, 'open')]).toEqual(['libsql', true]);
    close();
    expect(Reflect.get(client, 'open')).toBe(false);
  });

  test.each([
    ['mongodb://u:s3cret@h', 'mongodb:…'],
    ['s3cret', 'postgres:'],
    ['', 'postgres:'],
  ])('%j is refused, and never shown', async (url, said) => {
    const refused = expect(openDatabase(url, cwd)).rejects;
    await refused.toThrow(said);
    await refused.not.toThrow('s3cret');
  });

  test('without its library it is refused by the names of those that would do', async () => {
    await expect(openDatabase('postgres://h', cwd)).rejects.toThrow(/pg.*postgres/);
    await expect(openRedis('redis://h', cwd)).rejects.toThrow(/ioredis.*redis/);
  });

  test('a library that is not what its name says, or breaks when it is loaded, is told', async () => {
    install('pg', 'exports.Pool = class {};');
    await expect(openDatabase('postgres://h', cwd)).rejects.toThrow(/pg/);
    install('ioredis', 'exports.Redis = class {};');
    await expect(openRedis('redis://h', cwd)).rejects.toThrow(/ioredis/);
    install('mysql2', 'exports.createPool = 5;');
    await expect(openDatabase('mysql://h', cwd)).rejects.toThrow(
      'The package exports no function createPool',
    );
  });

  test('a library that throws when it is loaded is not taken for one that is missing', async () => {
    install('pg', "throw new Error('built for another Node');");
    await expect(openDatabase('postgres://h', cwd)).rejects.toThrow('built for another Node');
  });
});

describe('the configuration', () => {
  const config = async (code: string, name = 'health.config.mjs') => {
    writeFileSync(join(cwd, name), code);
    const loaded = await loadConfig(undefined, [cwd]);
    if (loaded !== undefined) requireChecks(loaded);
    return loaded;
  };

  test('is found by its name, or named; none is none', async () => {
    expect(loadConfig(undefined, [cwd])).toBeUndefined();
    expect(() => loadConfig('none.mjs', [cwd])).toThrow('none.mjs');
    expect(await config('export default { timeout: 5 };')).toEqual({
      file: 'health.config.mjs',
      config: { timeout: 5 },
    });
    writeFileSync(join(cwd, 'other.mjs'), 'export default async () => ({ checks: { a: () => [] } });');
    expect(await loadConfig('other.mjs', [cwd])).toMatchObject({ file: 'other.mjs', config: { checks: {} } });
  });

  test('may wait for something before it exports', async () => {
    const loaded = config('export default await Promise.resolve({ timeout: 5 });');
    expect(await loaded).toEqual({ file: 'health.config.mjs', config: { timeout: 5 } });
  });

  test('of a compiler to CommonJS is found below its default', async () => {
    const code = 'exports.__esModule = true; exports.default = { timeout: 5 };';
    expect(await config(code, 'health.config.cjs')).toMatchObject({ config: { timeout: 5 } });
  });

  test('in TypeScript is loaded where something runs it; its own mistake is told as such', async () => {
    const name = 'health.config.ts';
    const loaded = config('const timeout: number = 5; export default { timeout };', name);
    expect(await loaded).toEqual({ file: name, config: { timeout: 5 } });
    writeFileSync(join(cwd, 'broken.ts'), "throw new Error('boom');");
    const broken = (async () => loadConfig('broken.ts', [cwd]))();
    await expect(broken).rejects.toThrow('broken.ts cannot be used: Error: boom');
  });

  // Node 22.18 and later run it; here something always does, so the file says what Node says.
  test.skipIf(Reflect.get(process.features, 'typescript'))(
    'in TypeScript is refused where nothing runs it',
    async () => {
      const code =
        "throw Object.assign(new TypeError('Unknown file extension'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' });";
      await expect(config(code, 'health.config.ts')).rejects.toThrow(
        `Node ${process.version} does not run TypeScript. Use Node 22.18 or later, a loader such as tsx, or JavaScript`,
      );
    },
  );

  test.each([
    ['export default 5;', 'its default export must be an object'],
    ['export default [];', 'its default export must be an object'],
    ['export default null;', 'its default export must be an object'],
    ['export const a = 1;', 'its default export must be an object'],
    ['export default { checks: 5 };', 'its default export must be an object'],
    ['export default { checks: { a: 1 } };', 'checks.a is not a function'],
    ["throw new Error('boom');", 'boom'],
    ["export default () => { throw new Error('boom'); };", 'boom'],
    ["export default async () => { throw new Error('boom'); };", 'boom'],
    ["export default await Promise.reject(new Error('boom'));", 'boom'],
    ['export default async () => ({ checks: { a: 1 } });', 'checks.a is not a function'],
  ])('%s is refused', async (code, reason) => {
    await expect(config(code)).rejects.toThrow(reason);
  });
});

describe('the command', () => {
  const signals = new Set(process.listeners('SIGINT'));
  afterEach(() => {
    for (const [, { server }] of vi.mocked(drainOnSignals).mock.calls) server.close();
    vi.mocked(drainOnSignals).mockReset();
    for (const listener of process.listeners('SIGINT'))
      if (!signals.has(listener)) process.removeListener('SIGINT', listener);
  });

  /** Starts it on a port that is free; where it is, and what it said. */
  async function serve(env: Record<string, string> = {}, ...args: readonly string[]) {
    const all = ['serve', '--port', '0', '--host', '127.0.0.1', ...args];
    const { code, stderr } = await inProcess(all, { cwd, env });
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(stderr)?.[0] ?? '';
    return { code, stderr, origin };
  }

  test('serves what it finds, says where it found it, and drains', async () => {
    install('pg', `${pool} exports.Pool = Pool;`);
    writeFileSync(
      join(cwd, 'health.config.mjs'),
      'export default { logger: { log() {} }, checks: { queue: () => [] } };',
    );
    const env = { DATABASE_URL: 'postgres://h/db', HEALTH_HTTP_CHECKS: 'self=http://127.0.0.1:9/' };
    const { code, stderr, origin } = await serve(env, '--version-path', cwd);
    expect(code).toBe(0);
    expect(stderr).toContain(`lifesign-cli serve ${origin}/__heartbeat__\n`);
    expect(stderr).toContain('  DATABASE_URL: pg\n  HEALTH_HTTP_CHECKS: self\n  config: health.config.mjs\n');
    const { checks } = (await (await fetch(`${origin}/__heartbeat__`)).json()) as { checks: object };
    expect(Object.keys(checks)).toEqual(['check_database_connected', 'self', 'queue']);
    const other = await fetch(`${origin}/other`);
    expect([other.status, await other.text()]).toEqual([
      404,
      expect.stringContaining('"endpoints":["/__version__"'),
    ]);
    const [[, drain] = []] = vi.mocked(drainOnSignals).mock.calls;
    expect(drain).toMatchObject({ signals: ['SIGTERM'], onShutdown: [expect.any(Function)] });
  });

  test('without anything to find it reports on its own process', async () => {
    writeFileSync(join(cwd, 'health.config.mjs'), 'export default { logger: { log() {} } };');
    const { stderr, origin } = await serve({}, '--probes', '--config', 'health.config.mjs');
    expect(stderr).toContain('config: health.config.mjs');
    expect((await fetch(`${origin}/livez`)).status).toBe(200);
  });

  test('HOST and PORT are where it listens unless options say otherwise; nothing to find is no mistake', async () => {
    const said = async (...args: string[]) => {
      const { code, stderr } = await inProcess(['serve', ...args], { cwd });
      return [code, /http:\S+/.exec(stderr)?.[0], /this process: .*/.exec(stderr)?.[0]];
    };
    vi.stubEnv('HOST', '127.0.0.1');
    vi.stubEnv('PORT', '0');
    const local = [
      0,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//),
      expect.stringMatching(/^this process: \w/),
    ];
    expect(await said()).toEqual(local);
    expect(await said('--port', '0')).toEqual(local);
    vi.stubEnv('HOST', '');
    expect(await said('--port', '0')).toEqual([
      0,
      expect.stringMatching(/^http:\/\/localhost:/),
      expect.anything(),
    ]);
    vi.unstubAllEnvs();
  });

  test('an error on demand is answered, with what the file says of it', async () => {
    const token = '0123456789abcdef0123456789abcdef';
    vi.stubEnv('HEALTH_ERROR_ENDPOINT_TOKEN', token);
    /** A file each: a module is loaded once. */
    const answered = async (name: string, endpoint: string) => {
      const text = `export default { logger: { log() {} }, errorEndpoint: ${endpoint} };`;
      writeFileSync(join(cwd, `${name}.mjs`), text);
      const { origin } = await serve({ HEALTH_ERROR_ENDPOINT_TOKEN: token }, '--config', `${name}.mjs`);
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(`${origin}/__error__`, { headers });
      return [response.status, await response.text()];
    };
    const own = '{ onError: (_error, _req, res) => res.writeHead(500).end("own") }';
    expect(await answered('on', 'true')).toEqual([500, '{"error":"internal server error"}']);
    expect(await answered('own', own)).toEqual([500, 'own']);
    expect((await answered('off', 'false'))[0]).toBe(404);
    vi.unstubAllEnvs();
  });

  test('refuses a port that is none, or taken', async () => {
    const bad = await inProcess(['serve', '--port', 'http'], { cwd });
    expect([bad.code, bad.stderr]).toEqual([
      2,
      expect.stringContaining('--port is "http"; it must be an integer'),
    ]);
    writeFileSync(join(cwd, 'health.config.mjs'), 'export default { logger: { log() {} } };');
    const { origin } = await serve();
    const taken = await inProcess(['serve', '--port', new URL(origin).port, '--host', '127.0.0.1'], { cwd });
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('EADDRINUSE')]);
  });
});
