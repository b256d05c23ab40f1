import { expect, test } from 'vitest';
import { inProcess } from '../run.js';

/** A container of Kubernetes at which there is nothing to find, with some lines more. */
const pod = (lines: string, indent = '    ') => {
  const more =
    lines.trim() === '' ? '' : `\n${lines.replace(/^\n|\n\s*$/g, '').replace(/^/gm, `${indent}  `)}`;
  return `${indent}containers:\n${indent}- name: web\n${indent}  image: shop${more}`;
};
const deployment = (lines: string, head = '') => `apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  template:
    spec:
${head}${pod(ready(lines), '      ')}
`;
/** What has a port has a readiness probe, too. */
const ready = (lines: string) =>
  lines.includes('ports:') && !lines.includes('readinessProbe')
    ? `${lines}\nreadinessProbe: { exec: { command: [is-ready] } }`
    : lines;
const live = (port: string) => `livenessProbe: { httpGet: { path: /__lbheartbeat__, port: ${port} } }`;
const dockerfile = (lines: string, from = 'node:20-slim') => `FROM ${from}
WORKDIR /app
COPY version.json .
${lines}
USER 10001
CMD ["node", "server.js"]
`;

/** A text, and the rules that object to it. */
const cases: Readonly<Record<string, readonly [text: string, ...finds: readonly string[]]>> = {
  // Kubernetes: as it comes out of tools.
  'the output of Helm with several documents, comments and an empty one': [
    `---\n# Source: shop/templates/cm.yaml\napiVersion: v1\nkind: ConfigMap\ndata: { a: b }\n---\n# Source: shop/templates/empty.yaml\n---\n# Source: shop/templates/web.yaml\n${deployment('livenessProbe: { httpGet: { path: /__heartbeat__, port: 8000 }, timeoutSeconds: 6 }')}`,
    'liveness-checks',
  ],
  'CRLF and a byte order mark': [
    `\uFEFF${deployment('command: [npm, start]')}`.replaceAll('\n', '\r\n'),
    'signals-swallowed',
  ],
  'a List': [
    `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: { name: shop }\n  spec:\n${pod('command: [npm, start]', '    ')}\n`,
    'signals-swallowed',
  ],
  'anchors, aliases and merge keys': [
    `x: &probe\n  httpGet: { path: /__heartbeat__, port: 8000 }\n  timeoutSeconds: 6\n---\n${deployment('livenessProbe:\n  <<: &own { timeoutSeconds: 6 }\n  httpGet: &get { path: /__heartbeat__, port: 8000 }\nreadinessProbe:\n  <<: *own\n  httpGet: *get')}`,
    'liveness-checks',
  ],
  'a Rollout of Argo': [
    deployment('command: [npm, start]')
      .replace('apps/v1', 'argoproj.io/v1alpha1')
      .replace('Deployment', 'Rollout'),
    'signals-swallowed',
  ],
  'a sidecar among the init containers is judged, what runs before is not': [
    deployment(
      '',
      `      initContainers:\n      - name: migrate\n        image: shop\n        command: [npm, run, migrate]\n      - name: proxy\n        image: proxy\n        restartPolicy: Always\n        command: [npm, start]\n`,
    ),
    'signals-swallowed',
  ],
  'a Job ends by itself: a shell may run it': [
    `apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: nightly }\nspec:\n  jobTemplate:\n    spec:\n      template:\n        spec:\n${pod('command: [sh, -c, npm run nightly]', '          ')}\n`,
  ],
  'a template of a pod': [
    `apiVersion: v1\nkind: PodTemplate\nmetadata: { name: shop }\ntemplate:\n  spec:\n${pod('command: [npm, start]')}\n`,
    'signals-swallowed',
  ],
  // Kubernetes: ports.
  'probes over gRPC and TCP of ports that are declared beside PORT': [
    deployment(
      'ports: [{ name: http, containerPort: 8000 }, { name: grpc, containerPort: 9000 }]\nenv: [{ name: PORT, value: "8000" }]\nlivenessProbe: { grpc: { port: 9000 } }\nreadinessProbe: { tcpSocket: { port: grpc } }',
    ),
    'grpc-probe',
  ],
  'ports that variables from elsewhere may open': [
    deployment(
      `ports: [{ name: http, containerPort: 8000 }]\nenvFrom: [{ configMapRef: { name: shop } }]\n${live('9000')}`,
    ),
  ],
  'a port whose variable comes from elsewhere': [
    deployment(
      `ports: [{ name: http, containerPort: 8000 }]\nenv: [{ name: HEALTH_PORT, valueFrom: { configMapKeyRef: { name: a, key: b } } }]\n${live('9000')}`,
    ),
  ],
  'lifesign probe in a container, on another port than the one declared': [
    deployment(
      'ports: [{ name: http, containerPort: 8000 }]\nlivenessProbe: { exec: { command: [node, node_modules/lifesign/dist/cli/bin.cjs, probe, --port, "8001"] } }',
    ),
    'probe-port',
  ],
  // Kubernetes: times.
  'times that come from elsewhere are not guessed': [
    deployment(
      `env: [{ name: HEALTH_DRAIN_TIMEOUT, valueFrom: { configMapKeyRef: { name: a, key: b } } }, { name: HEALTH_TIMEOUT, valueFrom: { configMapKeyRef: { name: a, key: c } } }]\nstartupProbe: { timeoutSeconds: 2, httpGet: { path: /__heartbeat__, port: 8000 } }\n${live('8000')}`,
      '      terminationGracePeriodSeconds: 10\n',
    ),
  ],
  'the default drain fits into the 10 s of Docker': [
    'services:\n  web:\n    image: shop\n    init: true\n    healthcheck: { test: [CMD, node, node_modules/lifesign/dist/cli/bin.cjs, probe] }\n',
  ],
  'a longer shutdown does not': [
    'services:\n  web:\n    image: shop\n    init: true\n    environment: { HEALTH_DRAIN_SHUTDOWN_TIMEOUT: 5000ms }\n    healthcheck: { test: [CMD, node, node_modules/lifesign/dist/cli/bin.cjs, probe] }\n',
    'grace-period',
  ],
  // Processes.
  'a script in a block that ends with exec': [
    deployment('command: ["/bin/sh", "-c"]\nargs:\n- |\n  set -e\n  npm run migrate\n  exec node server.js'),
  ],
  'a script that waits for signals itself': [
    deployment(
      `command: [bash, -c, "trap 'kill -TERM $child; wait $child' TERM; node server.js & child=$!; wait $child"]`,
    ),
  ],
  'exec behind a condition': [
    deployment(
      'command: [sh, -c, "if [ -n \\"$DEBUG\\" ]; then exec node --inspect server.js; else exec node server.js; fi"]',
    ),
  ],
  'exec of npm': [deployment('command: [sh, -c, "exec npm start"]'), 'signals-swallowed'],
  'a second for an answer of some thousandths of a processor': [
    deployment(`resources: { limits: { cpu: 50m } }\n${live('8000')}`),
    'probe-timeout',
  ],
  'liveness that asks for metrics': [
    deployment('livenessProbe: { httpGet: { path: /metrics, port: 8000 } }'),
    'liveness-root',
  ],
  'a connection by Bash': [
    deployment("livenessProbe: { exec: { command: [bash, -c, 'echo > /dev/tcp/localhost/8000'] } }"),
  ],
  'a Node server behind a Service that closes at once': [
    `${deployment('command: [node, server.js]\nports: [{ name: http, containerPort: 8000 }]').replace('    spec:', '    metadata: { labels: { app: shop } }\n    spec:')}---\napiVersion: v1\nkind: Service\nmetadata: { name: shop }\nspec: { selector: { app: shop }, ports: [{ port: 80, targetPort: 8000 }] }\n`,
    'drain-delay',
  ],
  // Compose.
  'fields that begin with x-, anchors and merge keys': [
    'x-base: &base\n  stop_grace_period: 40s\n  init: true\nservices:\n  web:\n    <<: *base\n    image: shop\n    healthcheck: { test: [CMD, node, node_modules/lifesign/dist/cli/bin.cjs, probe] }\n',
  ],
  'extends a service of the same file': [
    'services:\n  base:\n    image: shop\n    stop_grace_period: 40s\n  web:\n    extends: { service: base }\n    healthcheck: { test: "npx lifesign probe" }\n',
  ],
  'extends a service of another file, which may say how long to wait': [
    'services:\n  web:\n    extends: { file: base.yaml, service: base }\n    healthcheck: { test: "npx lifesign probe" }\n',
  ],
  'a port from an env_file': [
    'services:\n  web:\n    image: shop\n    env_file: .env\n    stop_grace_period: 40s\n    ports: ["80:8000"]\n    healthcheck: { test: "npx lifesign probe http://localhost:9000" }\n',
  ],
  'a port range and long syntax': [
    'services:\n  web:\n    image: shop\n    stop_grace_period: 40s\n    ports:\n    - { target: 8000, published: 80 }\n    healthcheck: { test: [CMD, npx, lifesign, probe, "--port=8001"] }\n',
    'probe-port',
  ],
  // Dockerfiles.
  'curl that another stage installs': [
    `FROM node:20-slim AS build\nRUN apt-get install -y curl\n${dockerfile('HEALTHCHECK CMD curl -f http://localhost:8000/__lbheartbeat__')}`,
    'healthcheck-tool',
  ],
  'version.json from a heredoc': [
    'FROM node:20\nWORKDIR /app\nCOPY <<EOF /app/version.json\n{ "commit": "abc" }\nEOF\nUSER node\nCMD ["node", "server.js"]\n',
  ],
  'instructions inside of a heredoc are none': [dockerfile('RUN <<EOF\nUSER root\nCMD npm start\nEOF')],
  'another escape character': [
    '# escape=`\nFROM node:20\nWORKDIR /app\nCOPY version.json .\nUSER node\nHEALTHCHECK --timeout=10s `\n  CMD ["node", "node_modules/lifesign/dist/cli/bin.cjs", "probe", "--path", "/__heartbeat__"]\nCMD ["node", "server.js"]\n',
    'liveness-checks',
  ],
  'what ONBUILD says is of other images': [dockerfile('ONBUILD USER root\nONBUILD CMD npm start')],
  'an image by arguments': [
    `ARG VERSION=20\nARG VARIANT=slim\n${dockerfile('HEALTHCHECK CMD curl -f http://localhost:8000/__lbheartbeat__', 'docker.io/library/node:${VERSION}-${VARIANT}')}`,
    'healthcheck-tool',
  ],
  'npm behind the entrypoint of the image': [
    'FROM node:20\nWORKDIR /app\nCOPY version.json .\nUSER node\nENTRYPOINT ["docker-entrypoint.sh"]\nCMD ["npm", "start"]\n',
    'signals-swallowed',
  ],
  'a shell that becomes the application, or npm': [
    dockerfile('').replace('CMD ["node", "server.js"]', 'CMD exec npm start'),
    'signals-swallowed',
  ],
  'a shell that becomes node': [
    dockerfile('').replace('CMD ["node", "server.js"]', 'CMD exec node server.js'),
  ],
  'an init process that signals the whole group': [
    dockerfile('').replace('CMD ["node", "server.js"]', 'CMD ["tini", "-g", "--", "npm", "start"]'),
  ],
  'a shell without a line': [
    dockerfile('').replace('CMD ["node", "server.js"]', 'CMD ["sh", "-c"]'),
    'signals-swallowed',
  ],
  'the source may have version.json in it': [
    'FROM node:20\nWORKDIR /app\nCOPY . .\nENV HEALTH_PROBES=true\nUSER node\nCMD ["node", "server.js"]\n',
    'version-file',
  ],
  'version.json that is put elsewhere, for a service at the root': [
    'FROM node:20\nENV HEALTH_PROBES=true\nCOPY version.json /srv/\nUSER node\nCMD ["node", "server.js"]\n',
    'version-file',
  ],
  'a script that makes version.json, wherever': [
    'FROM node:20\nWORKDIR /app\nRUN make version.json\nUSER node\nCMD ["node", "server.js"]\n',
  ],
  'a byte order mark and CRLF in a Dockerfile': [
    `\uFEFF${dockerfile('')}`.replaceAll('\n', '\r\n').replace('"node", "server.js"', '"npm", "start"'),
    'signals-swallowed',
  ],
  // ECS, Cloud Run, Nomad.
  'a list of containers in a file of its own': [
    JSON.stringify([
      { name: 'web', image: 'shop', command: ['npm', 'start'], portMappings: [{ containerPort: 8000 }] },
    ]),
    'signals-swallowed',
  ],
  'a task directly in a job': [
    'job "shop" { task "web" { driver = "docker", config { image = "shop", command = "npm", args = ["start"] }, env { NODE_ENV = "production" } } }\n',
    'signals-swallowed',
  ],
  'a task with a shell as health check': [
    JSON.stringify({
      family: 'shop',
      containerDefinitions: [
        {
          name: 'web',
          image: 'shop',
          portMappings: [{ containerPort: 8000 }],
          stopTimeout: 40,
          healthCheck: {
            command: ['CMD-SHELL', 'wget -qO- http://localhost:8001/__lbheartbeat__ || exit 1'],
          },
        },
      ],
    }),
    'probe-port',
  ],
  'a service of Cloud Run in the form of version 2': [
    JSON.stringify({
      name: 'shop',
      template: {
        containers: [
          {
            image: 'shop',
            ports: [{ containerPort: 8080 }],
            livenessProbe: { httpGet: { path: '/__heartbeat__', port: 8080 }, timeoutSeconds: 6 },
          },
        ],
      },
    }),
    'liveness-checks',
  ],
  'a service that waits for a database without a health check, and one whose check is off': [
    'services:\n  web:\n    image: shop\n    depends_on: { db: { condition: service_healthy }, q: { condition: service_healthy } }\n  db: { image: "postgres:17" }\n  q: { image: rabbitmq, healthcheck: { test: [NONE] } }\n',
    'depends-on',
    'depends-on',
  ],
  'a Service whose number no container of its pods has': [
    `${deployment('ports: [{ name: http, containerPort: 3000 }]').replace('template:\n', 'template:\n    metadata: { labels: { app: shop } }\n')}---\napiVersion: v1\nkind: Service\nmetadata: { name: shop }\nspec: { selector: { app: shop }, ports: [{ port: 80, targetPort: 3000 }, { port: 81, targetPort: 3001 }] }\n`,
    'service-port',
  ],
  'a job of Nomad with comments, an expression and a check by its own port': [
    `# a\n// b\n/* c */\nvariable "image" { type = string }\njob "shop" {\n  group "web" {\n    network {\n      port "http" { to = 8000 }\n      port "health" { to = 8001 }\n    }\n    service {\n      port = "http"\n      check {\n        type = "http"\n        port = "health"\n        path = "/__lbheartbeat__"\n        interval = "10s"\n        timeout = "2s"\n        check_restart { limit = 3 }\n      }\n    }\n    task "web" {\n      driver = "docker"\n      kill_timeout = "40s"\n      config {\n        image = var.image\n        command = "npm"\n        args = ["start"]\n      }\n    }\n  }\n}\n`,
    'signals-swallowed',
  ],
};

test.each(Object.entries(cases))('%s', async (_name, [text, ...finds]) => {
  const stdin = (async function* () {
    yield text;
  })();
  // Standard input has no name: what it is must be told by its content.
  const { stdout, stderr } = await inProcess(['doctor', '-', '--json'], { stdin });
  expect(stderr).toBe('');
  const { findings, containers }: { findings: { rule: string }[]; containers: number } = JSON.parse(stdout);
  expect(findings.map(({ rule }) => rule)).toEqual(finds);
  expect(containers).toBeGreaterThan(0);
});

test('what a finding says fits the file', async () => {
  const found = async (text: string) => {
    const stdin = (async function* () {
      yield text;
    })();
    const { stdout } = await inProcess(['doctor', '-', '--json'], { stdin });
    const { findings }: { findings: { sentence: string }[] } = JSON.parse(stdout);
    return findings.map(({ sentence }) => sentence).join('\n');
  };
  const of = (lines: string) => `FROM node:20-slim\nENV HEALTH_PROBES=true\n${lines}\nUSER node\n`;
  const shell = await found(of(`COPY version.json /version.json\nCMD node ${'--flag '.repeat(30)}x.js`));
  expect(shell).toMatch(/A shell \(the form without brackets: node (?:--flag )+.{0,6}…\)/);
  expect(await found(of('COPY . .\nCMD ["node", "x.js"]'))).toContain('(unless it is in the source)');
  const elsewhere = await found(of('COPY version.json /srv/\nCMD ["node", "x.js"]'));
  expect(elsewhere).toContain('version.json is copied to /srv, but the service runs in /');
  const curl = await found(
    of('COPY version.json /version.json\nHEALTHCHECK CMD curl -f $URL\nCMD ["node", "x.js"]'),
  );
  expect(curl).toContain('The liveness probe runs curl, which node:20-slim does not have');
});

test('tabs in YAML are told, with their line', async () => {
  const stdin = (async function* () {
    yield deployment('\tcommand: [npm, start]');
  })();
  const { code, stderr } = await inProcess(['doctor', '-'], { stdin });
  expect(code).toBe(2);
  expect(stderr).toMatch(/line 10: .*tab/i);
});
