import { isHere, requestOf } from '../requests.js';
import {
  at,
  bytesOf,
  entriesAt,
  itemsAt,
  numberAt,
  placedAt,
  sized,
  textAt,
  textsAt,
  type Tree,
  variablesAt,
} from '../tree.js';
import type { Probe, Role, Start, Workload } from '../workload.js';

const second = 1000;
/** Defaults of Kubernetes. */
const defaults = { grace: 30 * second, timeout: second, period: 10 * second, threshold: 3 };

/** The containers of a document of Kubernetes, Knative or Cloud Run. */
export function kubernetesWorkloads(document: Tree, file: string): readonly Workload[] {
  const kind = textAt(document, 'kind') ?? '';
  if (kind.endsWith('List')) {
    return itemsAt(document, 'items').flatMap((item) => kubernetesWorkloads(item, file));
  }
  const serverless = (textAt(document, 'apiVersion') ?? '').startsWith('serving.knative.dev/');
  const owner = `${kind} ${textAt(document, 'metadata', 'name') ?? '(no name)'}`;
  const { spec: pod, metadata } = podOf(document, kind);
  const once = /^(?:Never|OnFailure)$/.test(textAt(pod, 'restartPolicy') ?? '');
  const lasting = !endingKinds.has(kind) && !isTest(document) && !once;
  const agent = isAgent(pod);
  const labels = new Map(entriesAt(metadata, 'labels').map(([name, { scalar }]) => [name, String(scalar)]));
  const found = workloadsOf(pod, owner, kind, serverless, file);
  return found.map((workload) => ({ ...workload, lasting, agent, labels }));
}

/** Pods that `helm test` runs. */
function isTest(document: Tree): boolean {
  return /\btest/.test(textAt(at(document, 'metadata', 'annotations'), 'helm.sh/hook') ?? '');
}

/** Whether a pod has the network or processes of its node, as agents and drivers do. */
function isAgent(pod: Tree | undefined): boolean {
  return ['hostNetwork', 'hostPID'].some((name) => at(pod, name)?.scalar === true);
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
  const podPorts = new Map(containers.flatMap((container) => [...portsOf(container)]));
  return containers.map((container, index) => {
    const name = textAt(container, 'name') ?? (containers.length > 1 ? `number ${index + 1}` : undefined);
    return {
      ...workloadOf(container, pod, serverless, kind),
      podPorts,
      file,
      name: name === undefined ? owner : `${owner}, container ${name}`,
    };
  });
}

/** The path to the pod template of each kind. */
function podOf(document: Tree, kind: string): { readonly spec?: Tree; readonly metadata?: Tree } {
  const paths: Readonly<Record<string, readonly string[]>> = {
    Pod: [],
    Revision: [],
    PodTemplate: ['template'],
    CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
  };
  const template = at(document, ...(paths[kind] ?? ['spec', 'template']));
  const [spec, metadata] = [at(template, 'spec'), at(template, 'metadata')];
  return { ...(spec && { spec }), ...(metadata && { metadata }) };
}

/** They end by themselves. */
const endingKinds = new Set(['Job', 'CronJob']);

function workloadOf(
  container: Tree,
  pod: Tree | undefined,
  serverless: boolean,
  kind: string,
): Omit<Workload, 'file' | 'name'> {
  const env = variablesAt(container, 'env');
  const ports = portsOf(container);
  const [only] = ports.values();
  // Cloud Run sets it to the port of the container.
  const byDefault = serverless ? (only ?? '8080') : undefined;
  if (byDefault !== undefined && !env.has('PORT')) env.set('PORT', byDefault);
  const grace = at(pod, 'terminationGracePeriodSeconds');
  return {
    format: serverless ? 'cloud-run' : 'kubernetes',
    line: container.line,
    env,
    moreEnv: at(container, 'envFrom') !== undefined,
    ports,
    ...preStopOf(container),
    memory: sized(placedAt(container, 'resources', 'limits', 'memory'), (size) => bytesOf(size)),
    ...cpuOf(container),
    probes: probesOf(container, env, byDefault),
    image: textAt(container, 'image'),
    user: userOf(container, pod),
    // A job is not drained.
    start: endingKinds.has(kind) ? undefined : startOf(container),
    // Cloud Run always gives ten seconds.
    ...(!serverless && !endingKinds.has(kind) && { grace: graceOf(pod, grace) }),
  };
}

/** `100m` or `0.5` of a processor. */
function cpuOf(container: Tree): Pick<Workload, 'cpu'> {
  const text = textAt(container, 'resources', 'limits', 'cpu');
  const [, digits, unit] = /^(\d{1,9}(?:\.\d+)?)(m?)$/.exec(text ?? '') ?? [];
  return digits === undefined ? {} : { cpu: Number(digits) / (unit === 'm' ? 1000 : 1) };
}

function preStopOf(container: Tree): Pick<Workload, 'preStop' | 'preStopSleep'> {
  const hook = at(container, 'lifecycle', 'preStop');
  if (hook === undefined) return { preStop: false };
  const line = (textsAt(hook, 'exec', 'command') ?? []).join(' ');
  const written = /(?:^|[\s;&"'/])sleep\s+["']?(\d{1,6}(?:\.\d+)?)(?=[s"'\s;&]|$)/.exec(line)?.[1];
  const seconds = numberAt(hook, 'sleep', 'seconds') ?? (written === undefined ? undefined : Number(written));
  return { preStop: true, ...(seconds !== undefined && { preStopSleep: seconds * second }) };
}

function graceOf(pod: Tree | undefined, grace: Tree | undefined): NonNullable<Workload['grace']> {
  const seconds = numberAt(pod, 'terminationGracePeriodSeconds');
  return seconds === undefined || grace === undefined
    ? { ms: defaults.grace }
    : { ms: seconds * second, line: grace.line };
}

function portsOf(container: Tree): ReadonlyMap<string, string> {
  const entries = itemsAt(container, 'ports').flatMap((item): [string, string][] => {
    const port = textAt(item, 'containerPort');
    return port === undefined ? [] : [[textAt(item, 'name') ?? port, port]];
  });
  return new Map(entries);
}

/** Settings of the container win over the pod's. */
function userOf(container: Tree, pod: Tree | undefined): Workload['user'] {
  const path = ['securityContext', 'runAsUser'];
  const number = placedAt(container, ...path) ?? placedAt(pod, ...path);
  if (number !== undefined) return number;
  const other = [container, pod].flatMap((tree) => at(tree, 'securityContext', 'runAsNonRoot') ?? [])[0];
  return other?.scalar === true ? { text: 'another than root', line: other.line } : undefined;
}

function startOf(container: Tree): Start | undefined {
  const command = at(container, 'command');
  const words = [...(textsAt(container, 'command') ?? []), ...(textsAt(container, 'args') ?? [])];
  return command === undefined || words.length === 0
    ? undefined
    : { line: command.line, shell: false, words };
}

const roles: readonly Role[] = ['startup', 'readiness', 'liveness'];

/** The probes of a container. */
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
    const seconds = (name: string, otherwise: number) => {
      const written = numberAt(probe, name);
      return written === undefined ? otherwise : written * second;
    };
    return [
      {
        role,
        line: probe.line,
        timeout: seconds('timeoutSeconds', defaults.timeout),
        period: seconds('periodSeconds', defaults.period),
        threshold: numberAt(probe, 'failureThreshold') ?? defaults.threshold,
        ...(initialDelay !== undefined && { initialDelay: initialDelay * second }),
        successes: numberAt(probe, 'successThreshold'),
        ...(command && { kind: 'exec' as const, command, ...requestOf(command, env) }),
        ...connectionIn('tcp', at(probe, 'tcpSocket')),
        ...connectionIn('grpc', at(probe, 'grpc')),
        ...requestIn(at(probe, 'httpGet'), byDefault),
      },
    ];
  });
}

/** Whether another machine gets the request: nothing is known about its ports. */
const hostIn = (probe: Tree): string => textAt(probe, 'host') ?? '';
const isElsewhere = (probe: Tree): boolean => !isHere(hostIn(probe));

function connectionIn(kind: 'tcp' | 'grpc', probe: Tree | undefined): Partial<Probe> {
  if (probe === undefined) return {};
  if (isElsewhere(probe)) return { kind, host: hostIn(probe) };
  return { kind, port: textAt(probe, 'port'), service: textAt(probe, 'service') };
}

function requestIn(httpGet: Tree | undefined, byDefault: string | undefined): Partial<Probe> {
  if (httpGet === undefined) return {};
  const port = textAt(httpGet, 'port') ?? byDefault;
  const written = textAt(httpGet, 'path') ?? '/';
  const path = written.replace(/\?.*/, '').replace(/^(?![/$])/, '/');
  if (isElsewhere(httpGet)) return { kind: 'http', host: hostIn(httpGet) };
  const plain = httpGet.entries().every(([name]) => name === 'path' || name === 'port');
  return { kind: 'http', path, port, plain };
}
