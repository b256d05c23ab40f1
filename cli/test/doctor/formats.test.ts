import { describe, expect, test } from 'vitest';
import { composeWorkloads } from '../../src/doctor/formats/compose.js';
import { dockerfileWorkload } from '../../src/doctor/formats/dockerfile.js';
import { ecsWorkloads } from '../../src/doctor/formats/ecs.js';
import { parseHcl } from '../../src/doctor/formats/hcl.js';
import { cloudRunWorkloads, kubernetesWorkloads } from '../../src/doctor/formats/kubernetes.js';
import { nomadWorkloads } from '../../src/doctor/formats/nomad.js';
import { parseYaml } from '../../src/doctor/formats/yaml.js';

type Tree = Exclude<ReturnType<typeof parseHcl>, string>;
type Workload = ReturnType<typeof composeWorkloads>[number];

/** A tree as plain values: a block of HCL with its labels first. */
function plain(tree: Tree): unknown {
  const [items, entries] = [tree.items().map(plain), tree.entries()];
  const inner = Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]));
  if (items.length > 0) return entries.length > 0 ? [...items, inner] : items;
  return tree.scalar === undefined ? inner : tree.scalar;
}

function documents(text: string): readonly Tree[] {
  const read = parseYaml(text, (document) => document);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

type Reader = (document: Tree, file: string) => readonly Workload[];
const read = (reader: Reader, text: string) =>
  documents(text).flatMap((document) => reader(document, 'file'));

describe('Compose', () => {
  const service = (lines: string) => read(composeWorkloads, `services:\n  web:\n    image: shop\n${lines}`);

  test.each<[what: string, lines: string, Partial<Workload>]>([
    [
      'variables in every form',
      '    environment: { PORT: 8000, EMPTY: , DEBUG: false }\n',
      {
        env: new Map([
          ['PORT', '8000'],
          ['EMPTY', undefined],
          ['DEBUG', 'false'],
        ]),
      },
    ],
    [
      'variables in a list',
      '    environment: [PORT=8000, "URL=http://a?b=c", OUTER]\n',
      {
        env: new Map([
          ['PORT', '8000'],
          ['URL', 'http://a?b=c'],
          ['OUTER', undefined],
        ]),
      },
    ],
    [
      'ports without a number',
      '    ports: [web, { published: 80 }, ]\n    expose: ["8001/udp", null]\n',
      { ports: new Map([['8001', '8001']]) },
    ],
    ['a health check of the image that is turned off', '    healthcheck: { test: [NONE] }\n', { probes: [] }],
    [
      'a health check that is disabled',
      '    healthcheck: { disable: true, test: [CMD, curl, x] }\n',
      { probes: [] },
    ],
    ['times without a command', '    healthcheck: { timeout: 5s }\n', { probes: [] }],
    [
      'a command without words',
      '    healthcheck: { test: , start_period: 1m30s, timeout: 500ms }\n',
      { probes: [{ role: 'liveness', line: 4, command: [''], timeout: 500, initialDelay: 90_000 }] },
    ],
    [
      'times in every unit, and what is none',
      '    stop_grace_period: 1h1m30.5s\n    healthcheck: { test: [CMD, x], interval: 250us, start_period: 30 }\n',
      {
        grace: expect.objectContaining({ ms: 3_690_500 }),
        probes: [expect.objectContaining({ period: 0.25 })],
      },
    ],
    ['a user by number', '    user: 0\n', { user: { text: '0', line: 4 } }],
    ['a user that is no text', '    user: [root]\n', {}],
    [
      'an entrypoint of nothing',
      '    entrypoint:\n    command: node \'my server.js\' "a b"\n',
      { start: { line: 4, shell: false, words: ['node', 'my server.js', 'a b'] } },
    ],
  ])('%s', (_what, lines, expected) => {
    const [workload] = service(lines);
    expect(workload).toMatchObject(expected);
    expect(workload?.user).toEqual(expected.user);
  });

  test('of a service that extends another both have variables, and its own count', () => {
    const [, web] = read(
      composeWorkloads,
      `services:
  base:
    user: node
    environment: { PORT: 8000, A: 1 }
  web:
    extends: base
    environment: [PORT=9000, B=2]
    ports: ["80:$PORT"]
`,
    );
    expect(web?.env).toEqual(
      new Map([
        ['PORT', '9000'],
        ['A', '1'],
        ['B', '2'],
      ]),
    );
    expect(web).toMatchObject({ user: { text: 'node', line: 3 }, ports: new Map([['9000', '9000']]) });
  });

  test('services that extend each other end', () => {
    const text = 'services:\n  a: { extends: b, image: x }\n  b: { extends: a }\n';
    expect(read(composeWorkloads, text).map(({ image }) => image)).toEqual(['x', 'x']);
  });

  test.each(['{}', 'services:', 'services: [web]', 'services: web'])('%s has none', (text) => {
    expect(read(composeWorkloads, text)).toEqual([]);
  });
});

test.each([
  ['curl -f https://localhost/x', { path: '/x', port: '443' }],
  ['curl http://localhost', { path: '/', port: '80' }],
  ['curl http://[::1]:${PORT}/x#y', { path: '/x', port: '9000' }],
  ['curl http://localhost:${B:-2}', { path: '/', port: '2' }],
  ['wget http://[::1]/x', { path: '/x', port: '80' }],
  ['lifesign probe', { path: '/__lbheartbeat__', port: '9000' }],
  ['lifesign probe http://localhost/', { path: '/__lbheartbeat__', port: '9000' }],
  ['lifesign probe http://localhost:1/ready?x', { path: '/ready', port: '1' }],
  ['lifesign probe http://localhost:1/ready --path /y', { path: '/y', port: '1' }],
  ['pg_isready', {}],
])('what %s asks for', (line, expected) => {
  const test = `services:\n  web:\n    environment: { PORT: 9000, A: 1 }\n    healthcheck: { test: ${JSON.stringify(line)} }\n`;
  const [probe] = read(composeWorkloads, test)[0]?.probes ?? [];
  expect({ path: probe?.path, port: probe?.port }).toEqual({ path: undefined, port: undefined, ...expected });
});

describe('Kubernetes and Cloud Run', () => {
  test.each([
    'kind: List',
    'kind: PodList\nitems: web',
    'kind: Deployment',
    'kind: Deployment\nspec: { template: { spec: { containers: web } } }',
    'kind: Pod\nspec:',
    'kind: CronJob\nspec: []',
    '[]',
  ])('%s has no containers', (text) => {
    expect(read(kubernetesWorkloads, text)).toEqual([]);
  });

  test('a service of Cloud Run without a template has no containers, and one without names has none', () => {
    expect(read(cloudRunWorkloads, 'name: shop')).toEqual([]);
    const [only] = read(cloudRunWorkloads, 'template: { containers: [{ image: shop }] }');
    expect(only).toMatchObject({ name: 'Service (no name)', env: new Map([['PORT', '8080']]) });
  });

  test('what has no name or number is passed over; a probe without a path asks for the root', () => {
    const [workload] = read(
      kubernetesWorkloads,
      `kind: Pod
spec:
  securityContext: { runAsUser: 1000 }
  containers:
  - env: [{ value: x }, { name: A, value: b }, text]
    ports: [{ name: web }, { containerPort: 8000 }, { name: admin, containerPort: 9000 }]
    securityContext: { runAsUser: [0] }
    livenessProbe: { httpGet: { port: 8000 } }
    readinessProbe: { httpGet: { path: /ready?deep, port: 8000 }, timeoutSeconds: soon }
`,
    );
    expect(workload).toMatchObject({
      name: 'Pod (no name)',
      env: new Map([['A', 'b']]),
      ports: new Map([
        ['8000', '8000'],
        ['admin', '9000'],
      ]),
      user: { text: '1000', line: 3 },
      probes: [
        { role: 'readiness', path: '/ready', port: '8000', timeout: 1000 },
        { role: 'liveness', path: '/', port: '8000' },
      ],
    });
  });
});

test('ECS: names, numbers and words that are missing', () => {
  expect(read(ecsWorkloads, '{"family":"shop"}')).toEqual([]);
  const [workload] = read(
    ecsWorkloads,
    JSON.stringify({
      containerDefinitions: [
        {
          user: 'root',
          environment: [{ value: 'x' }, { name: 'A', value: 'b' }, { name: 'B' }],
          portMappings: [{ hostPort: 80 }, { containerPort: 8000 }],
          entryPoint: [],
          command: ['node', 'server.js'],
        },
      ],
    }),
  );
  expect(workload).toMatchObject({
    name: 'task (no family), container (no name)',
    env: new Map([
      ['A', 'b'],
      ['B', undefined],
    ]),
    ports: new Map([['8000', '8000']]),
    user: { text: 'root', line: 1 },
    start: { words: ['node', 'server.js'] },
    grace: { ms: 30_000 },
  });
});

describe('Nomad', () => {
  const jobs = (text: string) => {
    const tree = parseHcl(text);
    if (typeof tree === 'string') throw new Error(tree);
    return nomadWorkloads(tree, 'file');
  };

  test('of several tasks a service belongs to the one it names', () => {
    const tasks = jobs(`job "shop" {
  group "web" {
    network { port "http" {} }
    service {
      task = "app"
      check { type = "http" }
      check {
        type    = "script"
        command = "curl"
        args    = ["-f", "http://localhost:8000/x?y"]
        timeout = "3s"
      }
      check { type = "tcp" }
    }
    task "app" { env { A = null_value, B = 2 } }
    task "log" { user = "root" }
    task { }
  }
}`);
    expect(tasks.map(({ name, probes, user }) => [name, probes.length, user])).toEqual([
      ['job shop, task app', 3, undefined],
      ['job shop, task log', 0, { text: 'root', line: 16 }],
      ['job shop, task (no name)', 0, undefined],
    ]);
    expect(tasks[0]?.probes).toMatchObject([
      { role: 'readiness', line: 6, timeout: 2000, path: '/' },
      {
        role: 'readiness',
        line: 7,
        timeout: 3000,
        command: ['curl', '-f', 'http://localhost:8000/x?y'],
        path: '/x',
        port: '8000',
      },
      { role: 'readiness', line: 13, timeout: 2000 },
    ]);
    expect(tasks[0]?.ports).toEqual(new Map([['http', '${NOMAD_PORT_http}']]));
  });

  test('a variable that is a list has no text', () => {
    const [task] = jobs('job "a" { group "b" { task "c" { env { A = ["x"] } } } }');
    expect(task?.env).toEqual(new Map([['A', '']]));
  });
});

describe('HCL', () => {
  test.each<[text: string, value: unknown]>([
    ['a = "x\\n\\"y\\" \\\\ ${lookup(var.m, "k")}"', { a: 'x\n"y" \\ ${lookup(var.m, "k")}' }],
    ['a = { b = 1, c : true, "d" = false }', { a: { b: 1, c: true, d: false } }],
    ['a = [1, [2, "3"], { b = 4 }]', { a: [1, [2, '3'], { b: 4 }] }],
    ['a = max(1, [2][0])\nb = 1.5 + 2\nc = -1', { a: 'max', b: 1.5, c: '-1' }],
    ['a = <<-EOT\n  one\n  two\n  EOT\nb = 1', { a: '  one\n  two\n', b: 1 }],
    ['a = <<EOT\none\nEOT', { a: 'one\n' }],
    ['a = <<EOT\none', { a: 'one' }],
    ['a = 1 /* to the end', { a: 1 }],
    ['a = 1 # one\n// two\n/* three\n*/ b "x" y { }', { a: 1, b: ['x', 'y'] }],
    ['', {}],
  ])('%j', (text, value) => {
    const tree = parseHcl(text);
    expect(typeof tree === 'string' ? tree : plain(tree)).toEqual(value);
  });

  test.each([
    ['a = [1, 2', 'line 1: unexpected end of file'],
    ['a = )', 'line 1: unexpected ")"'],
    ['a = "x\ny"', 'line 1: unterminated string'],
    ['a = 1\n}', 'line 2: unexpected "}"'],
    ['a = 1\n= 2', 'line 2: unexpected "="'],
    ['a ]', 'line 1: unexpected "]"'],
    ['a', 'line 1: unexpected end of file'],
    ['a { '.repeat(200), 'blocks are nested too deeply'],
  ])('%j is refused', (text, message) => {
    expect(parseHcl(text)).toBe(message);
  });
});

describe('YAML', () => {
  test.each<[text: string, values: unknown]>([
    ['', []],
    ['# nothing\n', []],
    ['---\n---\na: 1\n', [null, { a: 1 }]],
    ['a: !!binary aGk=\nb: 1e3\n', [{ a: {}, b: 1000 }]],
    ['? [a, b]\n: 1\nc: 2\n', [{ c: 2 }]],
    ['a: &x [1, 2]\nb: [*x, 3]\n', [{ a: [1, 2], b: [[1, 2], 3] }]],
    [
      'a: &x { p: 1, q: 2 }\nb: &y { q: 3, r: 4 }\nc: { <<: [*x, *y], r: 5 }\n',
      [{ a: { p: 1, q: 2 }, b: { q: 3, r: 4 }, c: { p: 1, q: 2, r: 5 } }],
    ],
    ['a: *nothing\nb: [*nothing, 1]\n', [{ b: [1] }]],
    ['1: a\ntrue: b\n', [{ 1: 'a', true: 'b' }]],
  ])('%j', (text, values) => {
    expect(documents(text).map(plain)).toEqual(values);
  });
});

describe('Dockerfiles', () => {
  const image = (...lines: string[]) => dockerfileWorkload(lines.join('\n'), 'Dockerfile');

  test.each<
    [
      what: string,
      lines: readonly string[],
      Omit<Partial<Workload>, 'build'> & { build?: Partial<Workload['build']> },
    ]
  >([
    ['an image that is missing', ['FROM ', 'USER node'], { image: '' }],
    [
      'a comment and an ARG before, a LABEL too',
      ['ARG TAG', 'ARG BASE=node:20', 'LABEL a=b', 'FROM $BASE-$TAG'],
      { image: 'node:20-$TAG' },
    ],
    [
      'a heredoc without an end',
      ['FROM x', 'RUN <<EOF', 'USER root', 'CMD ["a"]'],
      // Docker refuses it: nothing after its marker is an instruction.
      { user: { text: 'root', line: 1 } },
    ],
    [
      'the marker of a heredoc in another instruction',
      ['FROM x', 'LABEL a="<<EOF"', 'USER node'],
      { user: { text: 'node', line: 3 } },
    ],
    [
      'JSON that is no list',
      ['FROM x', 'CMD "npm start"'],
      { start: { line: 2, shell: true, words: ['"npm start"'] } },
    ],
    [
      'variables in the old form',
      ['FROM x', 'ENV PORT 80 00', 'ARG EMPTY'],
      {
        env: new Map([
          ['PORT', '80 00'],
          ['EMPTY', undefined],
        ]),
      },
    ],
    ['the last line goes on', ['FROM x', 'USER node \\'], { user: { text: 'node', line: 2 } }],
    [
      'a comment inside',
      ['FROM x', 'EXPOSE 80 \\', '# no', '', '  81/udp'],
      {
        ports: new Map([
          ['80', '80'],
          ['81', '81'],
        ]),
      },
    ],
    ['a health check of the image that is turned off', ['FROM x', 'HEALTHCHECK NONE'], { probes: [] }],
    [
      'version.json at the root',
      ['FROM x', 'COPY version.json /version.json'],
      { build: { versionFiles: [{ line: 2, directory: '/' }], workdir: '/', copiesSource: false } },
    ],
    [
      'version.json from a script',
      ['FROM x', 'WORKDIR app', 'RUN make version.json', 'COPY . ./'],
      { build: { versionFiles: [{ line: 3 }], workdir: '/app', copiesSource: true } },
    ],
    [
      'version.json by lifesign',
      ['FROM x', 'WORKDIR /app', 'RUN npx lifesign version --out /srv/version.json'],
      { build: { versionFiles: [{ line: 3, directory: '/srv' }], workdir: '/app', copiesSource: false } },
    ],
  ])('%s', (_what, lines, expected) => {
    expect(image(...lines)).toMatchObject(expected);
  });
});
