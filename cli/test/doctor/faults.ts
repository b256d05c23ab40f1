import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (file: string) => readFileSync(join(import.meta.dirname, 'good', file), 'utf8');

/** Good files, one of each kind, to plant faults in. */
export const good = {
  kubernetes: { file: 'deployment.yaml', text: read('deployment.yaml') },
  'cloud-run': { file: 'service.yaml', text: read('service.yaml') },
  compose: { file: 'compose.yaml', text: read('compose.yaml') },
  ecs: { file: 'task.json', text: read('task-definition.json') },
  nomad: { file: 'shop.nomad.hcl', text: read('shop.nomad.hcl') },
  dockerfile: { file: 'Dockerfile', text: read('Dockerfile') },
} as const;

export type Kind = keyof typeof good;
/** What to look for, and what to put there. */
type Edit = readonly [find: string | RegExp, put: string];

const liveness = 'livenessProbe:\n            httpGet:\n              path: ';
const probe = "['CMD', 'node', '/app/node_modules/lifesign/dist/cli/bin.cjs', 'probe']";
const ecsProbe = '["CMD", "node", "/app/node_modules/lifesign/dist/cli/bin.cjs", "probe"]';
const dockerProbe = '["node", "/app/node_modules/lifesign/dist/cli/bin.cjs", "probe"]';
const own = (path: string) =>
  new RegExp(`readinessProbe:\\n            httpGet:\\n              path: ${path}`);

/** Faults by the rule that must find them, planted in every kind of file that can have them. */
export const faults: Readonly<Record<string, Partial<Record<Kind, readonly (readonly Edit[])[]>>>> = {
  'liveness-checks': {
    kubernetes: [
      [
        [`${liveness}/__lbheartbeat__`, `${liveness}/__heartbeat__`],
        [/timeoutSeconds: 2/, 'timeoutSeconds: 9'],
      ],
      [[`${liveness}/__lbheartbeat__`, `${liveness}/shop/__heartbeat__`]],
      [[`${liveness}/__lbheartbeat__`, `${liveness}/health/ready`]],
      [[`${liveness}/__lbheartbeat__`, `${liveness}/readyz`]],
    ],
    'cloud-run': [
      [
        [/(livenessProbe:\n +httpGet:\n +path: )\S+/, '$1/__heartbeat__'],
        [/timeoutSeconds: 2/, 'timeoutSeconds: 9'],
      ],
    ],
    compose: [
      [[probe, "['CMD', 'lifesign', 'probe', '--path', '/__heartbeat__']"]],
      [[probe, 'wget -q -O - http://localhost:8000/__heartbeat__']],
    ],
    ecs: [[[ecsProbe, '["CMD-SHELL", "curl -f http://localhost:8000/__heartbeat__ || exit 1"]']]],
    nomad: [[[/path {5}= "\/__lbheartbeat__"(\n.*\n *timeout +=) "2s"/, 'path = "/__heartbeat__"$1 "9s"']]],
    dockerfile: [[[dockerProbe, '["lifesign", "probe", "--path=/__heartbeat__"]']]],
  },
  'probes-swapped': {
    kubernetes: [
      [
        [`${liveness}/__lbheartbeat__`, `${liveness}/__heartbeat__`],
        [own('/readyz'), 'readinessProbe:\n            httpGet:\n              path: /__lbheartbeat__'],
        [/timeoutSeconds: 2/, 'timeoutSeconds: 6'],
      ],
    ],
    nomad: [
      [
        [/path {5}= "\/__lbheartbeat__"(\n.*\n *timeout +=) "2s"/, 'path = "/x"$1 "9s"'],
        [/path {5}= "\/readyz"/, 'path = "/__lbheartbeat__"'],
        ['path = "/x"', 'path = "/__heartbeat__"'],
      ],
    ],
  },
  'probe-timeout': {
    kubernetes: [
      [[/(startupProbe:\n +httpGet:\n +path: )\S+/, '$1/__heartbeat__']],
      [
        [/(startupProbe:)(\n +httpGet:\n +path: )\S+/, '$1\n            timeoutSeconds: 9$2/__heartbeat__'],
        [
          '            - name: PORT\n',
          "            - { name: HEALTH_TIMEOUT, value: '20000' }\n            - name: PORT\n",
        ],
        ['periodSeconds: 2', 'periodSeconds: 9'],
      ],
    ],
  },
  'readiness-checks': {
    kubernetes: [
      [[own('/readyz'), 'readinessProbe:\n            httpGet:\n              path: /__heartbeat__']],
    ],
    nomad: [[['path     = "/readyz"', 'path     = "/__heartbeat__"']]],
  },
  'no-readiness': {
    kubernetes: [[[/ +readinessProbe:[^]*?failureThreshold: 3\n/, '']]],
    nomad: [[[/ +check \{\n +name +=[^]*?\n {6}\}\n[^]*?\n {6}check \{[^]*?\n {6}\}\n/, '']]],
  },
  'same-target': {
    kubernetes: [
      [[own('/readyz'), 'readinessProbe:\n            httpGet:\n              path: /__lbheartbeat__']],
    ],
  },
  'liveness-root': {
    kubernetes: [[[`${liveness}/__lbheartbeat__`, `${liveness}/`]]],
    'cloud-run': [[[/(livenessProbe:\n +httpGet:\n +path: )\S+/, '$1/']]],
    nomad: [[['path     = "/__lbheartbeat__"', 'path     = "/"']]],
  },
  'restart-fast': {
    kubernetes: [[[/(livenessProbe:[^]*?failureThreshold: )3/, '$11']]],
    'cloud-run': [[[/periodSeconds: 10\n( +timeoutSeconds: 2)/, 'periodSeconds: 2\n$1']]],
    ecs: [[['"retries": 3', '"retries": 1']]],
    nomad: [[['limit = 3', 'limit = 1']]],
  },
  'watchdog-probe': {
    kubernetes: [
      [
        [
          '            - name: PORT\n',
          "            - { name: HEALTH_WATCHDOG_PORT, value: '8001' }\n            - name: PORT\n",
        ],
      ],
      [
        [
          '            - name: PORT\n',
          "            - { name: HEALTH_WATCHDOG, value: 'true' }\n            - name: PORT\n",
        ],
      ],
    ],
    compose: [[["      PORT: '8000'\n", "      PORT: '8000'\n      HEALTH_WATCHDOG_PORT: 8001\n"]]],
    ecs: [[['"environment": [', '"environment": [{ "name": "HEALTH_WATCHDOG_PORT", "value": "8001" },']]],
  },
  'always-healthy': {
    kubernetes: [
      [
        [
          /readinessProbe:\n +httpGet:\n.*\n.*\n/,
          "readinessProbe:\n            exec: { command: [sh, -c, 'wget -q localhost:8000/x || true'] }\n",
        ],
      ],
    ],
    compose: [
      [[probe, 'wget -q -O - http://localhost:8000/__lbheartbeat__ || echo unhealthy']],
      [[probe, "['CMD', 'curl', '-s', 'http://localhost:8000/__lbheartbeat__']"]],
      [[probe, "['CMD', 'true']"]],
    ],
    ecs: [[[ecsProbe, '["CMD-SHELL", "curl -f http://localhost:8000/__lbheartbeat__ || exit 0"]']]],
    dockerfile: [
      [
        [
          dockerProbe,
          `["node", "-e", "fetch('http://localhost:8000/__lbheartbeat__').then(() => process.exit(0))"]`,
        ],
      ],
    ],
  },
  'healthcheck-form': {
    compose: [
      [[probe, "['CMD', 'curl', '-f', 'http://localhost:8000/__lbheartbeat__', '||', 'exit', '1']"]],
      [[probe, "['CMD', 'curl -f http://localhost:8000/__lbheartbeat__']"]],
    ],
    ecs: [[[ecsProbe, '["CMD", "curl -f http://localhost:8000/__lbheartbeat__ || exit 1"]']]],
  },
  'grpc-probe': {
    kubernetes: [
      [[/livenessProbe:\n +httpGet:\n.*\n.*\n/, 'livenessProbe:\n            grpc: { port: http }\n']],
      [
        ['name: http\n              containerPort: 8000', 'name: grpc\n              containerPort: 8000'],
        ['targetPort: http', 'targetPort: grpc'],
        [/readinessProbe:\n +httpGet:\n.*\n.*\n/, 'readinessProbe:\n            grpc: { port: 8000 }\n'],
        [/livenessProbe:\n +httpGet:\n.*\n.*\n/, 'livenessProbe:\n            tcpSocket: { port: grpc }\n'],
        [/startupProbe:\n +httpGet:\n.*\n.*\n/, 'startupProbe:\n            grpc: { port: 8000 }\n'],
      ],
    ],
  },
  'service-port': { kubernetes: [[['targetPort: http', 'targetPort: web']]] },
  'success-threshold': {
    kubernetes: [[[/(livenessProbe:)/, '$1\n            successThreshold: 2']]],
  },
  'exec-probe': {
    kubernetes: [
      [
        [
          /readinessProbe:\n +httpGet:\n.*\n.*\n +periodSeconds: 10\n +timeoutSeconds: 6/,
          'readinessProbe:\n            exec: { command: [node, ready.js] }\n            periodSeconds: 2\n            timeoutSeconds: 2',
        ],
      ],
    ],
  },
  'heap-limit': {
    kubernetes: [
      [
        [
          '            - name: PORT\n',
          "            - { name: NODE_OPTIONS, value: '--max-old-space-size=512' }\n            - name: PORT\n",
        ],
        [
          '          securityContext:',
          '          resources: { limits: { memory: 512Mi } }\n          securityContext:',
        ],
      ],
    ],
    compose: [
      [
        ['    read_only: true', '    mem_limit: 512m\n    read_only: true'],
        ["      PORT: '8000'\n", "      PORT: '8000'\n      NODE_OPTIONS: --max-old-space-size=2048\n"],
      ],
    ],
    ecs: [
      [
        [
          '"environment": [',
          '"environment": [{ "name": "NODE_OPTIONS", "value": "--max_old_space_size=500" },',
        ],
      ],
    ],
  },
  'keep-alive': {
    kubernetes: [
      [
        [
          '---\n',
          '---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: { name: shop }\nspec:\n  ingressClassName: alb\n  defaultBackend: { service: { name: shop, port: { number: 80 } } }\n---\n',
        ],
      ],
    ],
    ecs: [[['"environment": [', '"environment": [{ "name": "KEEP_ALIVE_TIMEOUT", "value": "5000" },']]],
  },
  'timeout-over-period': {
    kubernetes: [[[/(readinessProbe:[^]*?timeoutSeconds: )6/, '$130']]],
    nomad: [[['timeout  = "6s"', 'timeout  = "20s"']]],
  },
  'start-interval': {
    compose: [[['start_period: 10s', 'start_interval: 2s']], [['interval: 10s', 'interval: 60s']]],
    dockerfile: [[['--start-period=10s', '--start-interval=1s']]],
  },
  'depends-on': {
    compose: [[[/depends_on:\n {6}shop:\n {8}condition: service_healthy/, 'depends_on: [shop]']]],
  },
  'grace-period': {
    kubernetes: [
      [['terminationGracePeriodSeconds: 30', 'terminationGracePeriodSeconds: 8']],
      [
        [
          '            - name: PORT\n',
          "            - { name: HEALTH_DRAIN_TIMEOUT, value: '60000' }\n            - name: PORT\n",
        ],
      ],
    ],
    compose: [[['stop_grace_period: 30s', 'stop_grace_period: 5s']]],
    ecs: [[['"stopTimeout": 30', '"stopTimeout": 2']]],
    nomad: [[['kill_timeout = "30s"', 'kill_timeout = "5s"']], [['      kill_timeout = "30s"\n', '']]],
  },
  'drain-delay': {
    kubernetes: [
      [
        [
          '            - name: PORT\n',
          "            - { name: HEALTH_DRAIN_DELAY, value: '0' }\n            - name: PORT\n",
        ],
      ],
    ],
    compose: [[["      PORT: '8000'\n", "      PORT: '8000'\n      HEALTH_DRAIN_DELAY: 0\n"]]],
    ecs: [[['"environment": [', '"environment": [{ "name": "HEALTH_DRAIN_DELAY", "value": "0" },']]],
    nomad: [[['        PORT =', '        HEALTH_DRAIN_DELAY = 0\n        PORT =']]],
    dockerfile: [[['ENV NODE_ENV=production', 'ENV HEALTH_DRAIN_DELAY=0 NODE_ENV=production']]],
  },
  'probe-port': {
    kubernetes: [
      [[/(livenessProbe:\n +httpGet:\n +path: \S+\n +port: )http/, '$18080']],
      [[/(livenessProbe:\n +httpGet:\n +path: \S+\n +port: )http/, '$1web']],
    ],
    compose: [[[probe, "['CMD', 'lifesign', 'probe', '--port', '9000']"]]],
    ecs: [[[ecsProbe, '["CMD", "lifesign", "probe", "http://localhost:9000"]']]],
    dockerfile: [[[dockerProbe, '["lifesign", "probe", "--port", "9000"]']]],
  },
  'port-mismatch': {
    kubernetes: [[["value: '8000'", "value: '3000'"]]],
    'cloud-run': [[['- image:', "- env: [{ name: PORT, value: '3000' }]\n          image:"]]],
    compose: [
      [
        ["PORT: '8000'", "PORT: '3000'"],
        [probe, "['CMD', 'lifesign', 'probe', '--port', '8000']"],
      ],
    ],
    ecs: [
      [
        ['"value": "8000"', '"value": "3000"'],
        [ecsProbe, '["CMD", "lifesign", "probe", "--port", "8000"]'],
      ],
    ],
    nomad: [
      [
        ['port "http" {}', 'port "http" {}\n      port "admin" {}'],
        ['${NOMAD_PORT_http}', '${NOMAD_PORT_admin}'],
      ],
    ],
    dockerfile: [
      [
        ['PORT=8000', 'PORT=3000'],
        [dockerProbe, '["lifesign", "probe", "--port", "8000"]'],
      ],
    ],
  },
  'initial-delay': {
    kubernetes: [
      [
        [/ +startupProbe:[^]*?failureThreshold: 60\n/, ''],
        [/(livenessProbe:)/, '$1\n            initialDelaySeconds: 60'],
      ],
    ],
    'cloud-run': [
      [
        [/ +startupProbe:[^]*?failureThreshold: 60\n/, ''],
        [/(livenessProbe:)/, '$1\n            initialDelaySeconds: 30'],
      ],
    ],
  },
  'healthcheck-tool': {
    compose: [
      [
        ['image: registry.example.org/shop:1.2.3', 'image: node:22-slim'],
        [probe, "['CMD', 'curl', '-f', 'http://localhost:8000/__lbheartbeat__']"],
      ],
    ],
    ecs: [
      [
        ['registry.example.org/shop:1.2.3', 'gcr.io/distroless/nodejs22'],
        [ecsProbe, '["CMD-SHELL", "wget -q http://localhost:8000/__lbheartbeat__"]'],
      ],
    ],
    dockerfile: [
      [[`CMD ${dockerProbe}`, 'CMD curl -f http://localhost:8000/__lbheartbeat__ || exit 1']],
      [
        ['node:22-slim', 'node:22-alpine'],
        [dockerProbe, '["curl", "-f", "http://localhost:$PORT/__lbheartbeat__"]'],
      ],
    ],
  },
  'signals-swallowed': {
    kubernetes: [
      [['          image:', "          command: ['npm', 'start']\n          image:"]],
      [
        [
          '          image:',
          "          command: ['sh', '-c']\n          args: ['node migrate.js && node server.js']\n          image:",
        ],
      ],
    ],
    'cloud-run': [[['- image:', "- command: ['yarn', 'start']\n          image:"]]],
    compose: [[['    read_only: true', '    command: npm run start\n    read_only: true']]],
    ecs: [
      [
        [
          '"essential": true,',
          '"essential": true, "entryPoint": ["sh", "-c"], "command": ["node server.js"],',
        ],
      ],
    ],
    nomad: [[['        image ', '        command = "npm"\n        args = ["start"]\n        image ']]],
    dockerfile: [
      [['ENTRYPOINT ["node"]\nCMD ["server.mjs"]', 'CMD node server.mjs']],
      [['ENTRYPOINT ["node"]\nCMD ["server.mjs"]', 'CMD ["npm", "start"]']],
      [['ENTRYPOINT ["node"]', 'ENTRYPOINT ["/usr/bin/tini", "--", "npm", "start"]']],
    ],
  },
  'version-file': {
    dockerfile: [
      [[/RUN npx lifesign version[^]*?"\$BUILD"\n/, '']],
      [['RUN npx lifesign version', 'RUN npx lifesign version --out /srv/version.json']],
    ],
  },
  'user-root': {
    kubernetes: [[['runAsUser: 10001', 'runAsUser: 0']], [['readOnlyRootFilesystem: true', 'runAsUser: 0']]],
    compose: [[["user: '10001:10001'", 'user: root']], [["user: '10001:10001'", "user: '0:0'"]]],
    ecs: [[['"user": "10001:10001"', '"user": "root"']]],
    nomad: [[['"10001:10001"', '"root"']]],
    dockerfile: [[['USER app:app\n', '']], [['USER app:app', 'USER root']], [['USER app:app', 'USER 0:0']]],
  },
};

/** A good file with faults planted in it; an edit that changes nothing is a mistake of the test. */
export function planted(kind: Kind, edits: readonly Edit[]): string {
  return edits.reduce((text, [find, put]) => {
    const changed = typeof find === 'string' ? text.replace(find, () => put) : text.replace(find, put);
    if (changed === text) throw new Error(`Nothing to plant in ${kind}: ${String(find)}`);
    return changed;
  }, good[kind].text);
}
