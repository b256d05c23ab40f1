import { at, itemsAt, numberAt, placedAt, textAt, textsAt, type Tree } from '../tree.js';
import { type Probe, requestOf, type Role, type Start, type Workload } from '../workload.js';

const second = 1000;
/** What Kubernetes does where nothing is written. */
const defaults = { grace: 30 * second, timeout: second };

/** The containers of a document of Kubernetes, Knative or Cloud Run. */
export function kubernetesWorkloads(document: Tree, file: string): readonly Workload[] {
  const kind = textAt(document, 'kind') ?? '';
  if (kind.endsWith('List')) {
    return itemsAt(document, 'items').flatMap((item) => kubernetesWorkloads(item, file));
  }
  const serverless = (textAt(document, 'apiVersion') ?? '').startsWith('serving.knative.dev/');
  const owner = `${kind} ${textAt(document, 'metadata', 'name') ?? '(no name)'}`;
  return workloadsOf(podOf(document, kind), owner, kind, serverless, file);
}

/** The containers of a service of Cloud Run as its second API has it, which names no kind. */
export function cloudRunWorkloads(document: Tree, file: string): readonly Workload[] {
  const owner = `Service ${textAt(document, 'name') ?? '(no name)'}`;
  return workloadsOf(at(document, 'template'), owner, 'Service', true, file);
}

/** Those that stay: an init container ends, unless it is a sidecar. */
function containersOf(pod: Tree | undefined): readonly Tree[] {
  const before = itemsAt(pod, 'initContainers');
  const sidecars = before.filter((container) => textAt(container, 'restartPolicy') === 'Always');
  return [...sidecars, ...itemsAt(pod, 'containers')];
}

function workloadsOf(
  pod: Tree | undefined,
  owner: string,
  kind: string,
  serverless: boolean,
  file: string,
): readonly Workload[] {
  const containers = containersOf(pod);
  return containers.map((container, index) => {
    const name = textAt(container, 'name') ?? (containers.length > 1 ? `number ${index + 1}` : undefined);
    return {
      ...workloadOf(container, pod, serverless, kind),
      file,
      name: name === undefined ? owner : `${owner}, container ${name}`,
    };
  });
}

/** Where each kind keeps the pod that it makes. */
function podOf(document: Tree, kind: string): Tree | undefined {
  if (kind === 'Pod' || kind === 'Revision') return at(document, 'spec');
  if (kind === 'PodTemplate') return at(document, 'template', 'spec');
  if (kind === 'CronJob') return at(document, 'spec', 'jobTemplate', 'spec', 'template', 'spec');
  return at(document, 'spec', 'template', 'spec');
}

/** Ends by itself: nothing drains. */
const endingKinds = new Set(['Job', 'CronJob']);

function workloadOf(
  container: Tree,
  pod: Tree | undefined,
  serverless: boolean,
  kind: string,
): Omit<Workload, 'file' | 'name'> {
  const env = environmentOf(container);
  const ports = portsOf(container);
  const [only] = ports.values();
  // Cloud Run sets it to the port of the container.
  const byDefault = serverless ? (only ?? '8080') : undefined;
  if (byDefault !== undefined && !env.has('PORT')) env.set('PORT', byDefault);
  const grace = at(pod, 'terminationGracePeriodSeconds');
  const image = textAt(container, 'image');
  const user = userOf(container, pod);
  // Nobody drains a job.
  const start = endingKinds.has(kind) ? undefined : startOf(container);
  return {
    format: serverless ? 'cloud-run' : 'kubernetes',
    line: container.line,
    env,
    moreEnv: at(container, 'envFrom') !== undefined,
    ports,
    preStop: at(container, 'lifecycle', 'preStop') !== undefined,
    probes: probesOf(container, env, byDefault),
    ...(image !== undefined && { image }),
    ...(user && { user }),
    ...(start && { start }),
    // Cloud Run gives ten seconds, and takes no wish.
    ...(!serverless && !endingKinds.has(kind) && { grace: graceOf(pod, grace) }),
  };
}

function graceOf(pod: Tree | undefined, grace: Tree | undefined): NonNullable<Workload['grace']> {
  const seconds = numberAt(pod, 'terminationGracePeriodSeconds');
  return seconds === undefined || grace === undefined
    ? { ms: defaults.grace }
    : { ms: seconds * second, line: grace.line };
}

function environmentOf(container: Tree): Map<string, string | undefined> {
  const entries = itemsAt(container, 'env').flatMap((item): [string, string | undefined][] => {
    const name = textAt(item, 'name');
    return name === undefined ? [] : [[name, textAt(item, 'value')]];
  });
  return new Map(entries);
}

function portsOf(container: Tree): ReadonlyMap<string, string> {
  const entries = itemsAt(container, 'ports').flatMap((item): [string, string][] => {
    const port = textAt(item, 'containerPort');
    return port === undefined ? [] : [[textAt(item, 'name') ?? port, port]];
  });
  return new Map(entries);
}

const roles: readonly Role[] = ['startup', 'readiness', 'liveness'];

function probesOf(
  container: Tree,
  env: ReadonlyMap<string, string | undefined>,
  byDefault: string | undefined,
): readonly Probe[] {
  return roles.flatMap((role) => {
    const probe = at(container, `${role}Probe`);
    if (probe === undefined) return [];
    const command = textsAt(probe, 'exec', 'command');
    const initialDelay = numberAt(probe, 'initialDelaySeconds');
    return [
      {
        role,
        line: probe.line,
        timeout: (numberAt(probe, 'timeoutSeconds') ?? defaults.timeout / second) * second,
        ...(initialDelay !== undefined && { initialDelay: initialDelay * second }),
        ...(command && { command, ...requestOf(command, env) }),
        ...connectionIn(at(probe, 'tcpSocket') ?? at(probe, 'grpc')),
        ...requestIn(at(probe, 'httpGet'), byDefault),
      },
    ];
  });
}

/** Whether another machine is asked: of its ports nothing is known. */
const isElsewhere = (probe: Tree) =>
  !/^(?:|localhost|127\.\d+\.\d+\.\d+|::1)$/.test(textAt(probe, 'host') ?? '');

function connectionIn(probe: Tree | undefined): Pick<Probe, 'port'> {
  const port = textAt(probe, 'port');
  return probe === undefined || port === undefined || isElsewhere(probe) ? {} : { port };
}

function requestIn(httpGet: Tree | undefined, byDefault: string | undefined): Pick<Probe, 'path' | 'port'> {
  if (httpGet === undefined) return {};
  const port = textAt(httpGet, 'port') ?? byDefault;
  const path = (textAt(httpGet, 'path') ?? '/').replace(/\?.*/, '');
  if (isElsewhere(httpGet)) return {};
  return { path, ...(port !== undefined && { port }) };
}

/** What the container says counts before what the pod says. */
function userOf(container: Tree, pod: Tree | undefined): Workload['user'] {
  const path = ['securityContext', 'runAsUser'];
  return placedAt(container, ...path) ?? placedAt(pod, ...path);
}

function startOf(container: Tree): Start | undefined {
  const command = at(container, 'command');
  const words = [...(textsAt(container, 'command') ?? []), ...(textsAt(container, 'args') ?? [])];
  return command === undefined || words.length === 0
    ? undefined
    : { line: command.line, shell: false, words };
}
