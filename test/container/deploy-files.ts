import { parse, parseAllDocuments } from 'yaml';
import { type Asked, type Described, described, readDeploy, variables } from './described.js';
import { platformFiles } from './platform-files.js';

/** A container of Kubernetes or Cloud Run; a named port is looked up. */
function container(path: string): Described {
  const [document] = parseAllDocuments(readDeploy(path)).map((each) => each.toJS());
  const { template } = document.spec ?? document;
  const [{ ports, env, ...probes }] = template.spec.containers;
  const numberOf = (port: string | number) =>
    typeof port === 'number'
      ? port
      : ports.find(({ name }: { name: string }) => name === port)?.containerPort;
  const asked = (probe?: { httpGet: { path: string; port: string | number } }) =>
    probe && { path: probe.httpGet.path, port: numberOf(probe.httpGet.port) };
  return described(variables(env), {
    startup: asked(probes.startupProbe),
    readiness: asked(probes.readinessProbe),
    liveness: asked(probes.livenessProbe),
  });
}

/** What `lifesign probe` is told to ask; over a socket there is no port. */
function command(words: readonly string[], env: Readonly<Record<string, string>>): Asked {
  const url = words.find((word) => word.startsWith('http:'));
  if (url !== undefined) return { path: new URL(url).pathname, port: Number(new URL(url).port) };
  const path = words[words.indexOf('--path') + 1] ?? '';
  return env['PORT'] === undefined ? { path } : { path, port: Number(env['PORT']) };
}

function compose(path: string, name: string, role: 'readiness' | 'liveness'): Described {
  const { environment, healthcheck } = parse(readDeploy(path)).services[name];
  return described(environment, { [role]: command(healthcheck.test, environment) });
}

function ecsTask(): Described {
  const [{ environment, healthCheck }] = JSON.parse(
    readDeploy('ecs/task-definition.json'),
  ).containerDefinitions;
  const env = variables(environment);
  return described(env, { liveness: command(healthCheck.command, env) });
}

function ecsTargets(): Described {
  const { HealthCheckPath: path, Port: port } = JSON.parse(readDeploy('ecs/target-group.json'));
  return described({}, { readiness: { path, port } });
}

/** Blocks of HCL by their names, with the text between their braces. */
function blocks(text: string, name: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^([ ]*)${name} (?:"\\w+" )?\\{\\n([^]*?)^\\1\\}`, 'gm'))].map(
    ([, , body = '']) => body,
  );
}
const valueIn = (block: string, name: string) => new RegExp(`^\\s*${name}\\s*= "(.*)"`, 'm').exec(block)?.[1];

/** A check that restarts is liveness; the others take out of the catalogue. */
function nomad(): Described {
  const text = readDeploy('nomad/shop.nomad.hcl').replaceAll(/^\s*#.*\n/gm, '');
  const env = Object.fromEntries(
    [...(blocks(text, 'env')[0] ?? '').matchAll(/(\w+)\s*= "(.*)"/g)].map(([, name, value]) => [name, value]),
  );
  const ports = new Map(
    [...text.matchAll(/port "(\w+)" \{\s*static = (\d+)/g)].map(([, name, port]) => [name, Number(port)]),
  );
  const probes = blocks(text, 'service').flatMap((service) =>
    blocks(service, 'check').map((check) => {
      const asked = {
        path: valueIn(check, 'path') ?? '',
        port: ports.get(valueIn(check, 'port') ?? valueIn(service, 'port')),
      };
      return check.includes('check_restart') ? { liveness: asked } : { readiness: asked };
    }),
  );
  return described(env, Object.assign({}, ...probes));
}

function haproxy(): Described {
  const path = /http-check send .*\buri (\S+)/.exec(readDeploy('haproxy/haproxy.cfg'))?.[1] ?? '';
  return described({}, { readiness: { path } });
}

/** Every file that says how a service is probed, by its path below deploy/. */
export const deployFiles: Readonly<Record<string, () => Described>> = {
  'kubernetes/deployment.yaml': () => container('kubernetes/deployment.yaml'),
  'compose/compose.yaml': () => compose('compose/compose.yaml', 'shop', 'readiness'),
  'ecs/task-definition.json': ecsTask,
  'ecs/target-group.json': ecsTargets,
  'cloud-run/service.yaml': () => container('cloud-run/service.yaml'),
  'kustomize/container.yaml': () => container('kustomize/container.yaml'),
  ...platformFiles,
  'nomad/shop.nomad.hcl': nomad,
  'haproxy/haproxy.cfg': haproxy,
  'nginx/nginx.conf': () => described({}, {}),
  'kubernetes/worker.yaml': () => container('kubernetes/worker.yaml'),
  'compose/worker.yaml': () => compose('compose/worker.yaml', 'mailer', 'liveness'),
  'systemd/worker.service': () => described({}, {}),
};
