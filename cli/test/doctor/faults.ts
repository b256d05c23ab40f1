import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProcess } from '../run.js';

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

const probe = "['CMD', 'node', '/app/node_modules/lifesign/dist/cli/bin.cjs', 'probe']";
const ecsProbe = '["CMD", "node", "/app/node_modules/lifesign/dist/cli/bin.cjs", "probe"]';
const dockerProbe = '["node", "/app/node_modules/lifesign/dist/cli/bin.cjs", "probe"]';

/** Faults by the rule that must find them, planted in the kinds of files of which the corpus has none. */
export const faults: Readonly<Record<string, Partial<Record<Kind, readonly (readonly Edit[])[]>>>> = {
  'probes-swapped': {
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
          "            - { name: HEALTH_TIMEOUT, value: '20000ms' }\n            - name: PORT\n",
        ],
        ['periodSeconds: 2', 'periodSeconds: 9'],
      ],
    ],
  },
  'readiness-checks': {
    nomad: [[['path     = "/readyz"', 'path     = "/__heartbeat__"']]],
  },
  'liveness-root': {
    nomad: [[['path     = "/__lbheartbeat__"', 'path     = "/"']]],
  },
  'watchdog-probe': {
    compose: [[["      PORT: '8000'\n", "      PORT: '8000'\n      HEALTH_WATCHDOG_PORT: 8001\n"]]],
    ecs: [[['"environment": [', '"environment": [{ "name": "HEALTH_WATCHDOG_PORT", "value": "8001" },']]],
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
  'grace-period': {
    kubernetes: [
      [['terminationGracePeriodSeconds: 30', 'terminationGracePeriodSeconds: 8']],
      [
        [
          '            - name: PORT\n',
          "            - { name: HEALTH_DRAIN_TIMEOUT, value: '60000ms' }\n            - name: PORT\n",
        ],
      ],
    ],
  },
  'drain-delay': {
    compose: [[["      PORT: '8000'\n", "      PORT: '8000'\n      HEALTH_DRAIN_DELAY: 0\n"]]],
    ecs: [[['"environment": [', '"environment": [{ "name": "HEALTH_DRAIN_DELAY", "value": "0" },']]],
    nomad: [[['        PORT =', '        HEALTH_DRAIN_DELAY = 0\n        PORT =']]],
    dockerfile: [[['ENV NODE_ENV=production', 'ENV HEALTH_DRAIN_DELAY=0 NODE_ENV=production']]],
  },
  'probe-port': {
    ecs: [[[ecsProbe, '["CMD", "lifesign", "probe", "http://localhost:9000"]']]],
    dockerfile: [[[dockerProbe, '["lifesign", "probe", "--port", "9000"]']]],
  },
  'port-mismatch': {
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
    'cloud-run': [
      [
        [/ +startupProbe:[^]*?failureThreshold: 60\n/, ''],
        [/(livenessProbe:)/, '$1\n            initialDelaySeconds: 30'],
      ],
    ],
  },
  'healthcheck-tool': {
    ecs: [
      [
        ['registry.example.org/shop:1.2.3', 'gcr.io/distroless/nodejs22'],
        [ecsProbe, '["CMD-SHELL", "wget -q http://localhost:8000/__lbheartbeat__"]'],
      ],
    ],
  },
  'signals-swallowed': {
    nomad: [[['        image ', '        command = "npm"\n        args = ["start"]\n        image ']]],
  },
  'user-root': {
    ecs: [[['"user": "10001:10001"', '"user": "root"']]],
    nomad: [[['"10001:10001"', '"root"']]],
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

/** The rules of doctor, as it names them for one that does not exist. */
export async function ruleIds(): Promise<readonly string[]> {
  const { stderr } = await inProcess(['doctor', '--skip', 'nope']);
  return /the rules are (.*?)\. See /.exec(stderr)?.[1]?.split(', ') ?? [];
}
