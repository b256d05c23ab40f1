import { requestOf } from '../requests.js';
import {
  at,
  bytesOf,
  entriesAt,
  numberAt,
  placedAt,
  sized,
  textAt,
  textsAt,
  timeOf,
  type Tree,
} from '../tree.js';
import type { Probe, Start, Workload } from '../workload.js';

/** Defaults of Nomad. */
const defaults = { grace: 5000, timeout: 2000, interval: 10_000 };

const all = (tree: Tree, name: string): readonly Tree[] =>
  tree.entries().flatMap(([key, value]) => (key === name ? [value] : []));
const labelOf = (block: Tree): string => String(block.items()[0]?.scalar ?? '(no name)');

/** The tasks of a job file. */
export function nomadWorkloads(document: Tree, file: string): readonly Workload[] {
  return all(document, 'job').flatMap((job) =>
    // Tasks in the job itself are in a group of their own each.
    [...all(job, 'group'), ...(all(job, 'task').length > 0 ? [job] : [])].flatMap((group) => {
      const tasks = all(group, 'task').filter((task) => at(task, 'lifecycle') === undefined);
      const shared = sharedOf(job, group, tasks.length === 1);
      return tasks.map((task) => workloadOf(task, shared, file));
    }),
  );
}

/** Settings that the tasks of a group share. */
interface Shared {
  readonly job: string;
  readonly type: string;
  readonly ports: ReadonlyMap<string, string>;
  readonly delayed: boolean;
  /** The services of the group that are of a task. */
  servicesOf(task: Tree): readonly Tree[];
}

function sharedOf(job: Tree, group: Tree, only: boolean): Shared {
  const services = all(group, 'service');
  const byTask = new Map<string | undefined, Tree[]>();
  for (const service of services) {
    const task = textAt(service, 'task');
    const known = byTask.get(task);
    if (known === undefined) byTask.set(task, [service]);
    else known.push(service);
  }
  return {
    job: labelOf(job),
    type: textAt(job, 'type') ?? 'service',
    ports: portsOf(group),
    delayed: at(group, 'shutdown_delay') !== undefined,
    // A service of the group belongs to its only task, or to the one it names.
    servicesOf: (task) => (only ? services : (byTask.get(labelOf(task)) ?? [])),
  };
}

function workloadOf(task: Tree, shared: Shared, file: string): Workload {
  const env = new Map(
    entriesAt(task, 'env').map(([name, { scalar }]) => [name, String(scalar ?? '')] as const),
  );
  const services = [...all(task, 'service'), ...shared.servicesOf(task)];
  const kill = at(task, 'kill_timeout');
  const unchecked = services.find(
    (service) =>
      at(service, 'port') && at(service, 'connect') === undefined && all(service, 'check').length === 0,
  );
  const memory = at(task, 'resources', 'memory_max') === undefined ? 'memory' : 'memory_max';
  return {
    format: 'nomad',
    file,
    line: task.line,
    name: `job ${shared.job}, task ${labelOf(task)}`,
    env,
    ports: shared.ports,
    probes: services.flatMap((service) =>
      all(service, 'check').flatMap((check) => probeOf(check, service, env)),
    ),
    grace: {
      ms: timeOf(textAt(task, 'kill_timeout')) ?? defaults.grace,
      line: kill?.line,
    },
    preStop: shared.delayed || at(task, 'shutdown_delay') !== undefined,
    lasting: !/^(?:batch|sysbatch)$/.test(shared.type),
    memory: sized(placedAt(task, 'resources', memory), (size) => bytesOf(`${size}Mi`)),
    ...(unchecked && { unchecked: unchecked.line }),
    init: at(task, 'config', 'init')?.scalar === true,
    image: textAt(task, 'config', 'image'),
    user: placedAt(task, 'user'),
    start: startOf(task),
  };
}

/** A port gets its number when it runs: inside of its task it is `${NOMAD_PORT_name}`. */
function portsOf(group: Tree): ReadonlyMap<string, string> {
  const ports = all(group, 'network').flatMap((network) =>
    all(network, 'port').map((port) => {
      const name = labelOf(port);
      return [name, textAt(port, 'to') ?? textAt(port, 'static') ?? `\${NOMAD_PORT_${name}}`] as const;
    }),
  );
  return new Map(ports);
}

/** A check that restarts is a liveness probe; any other takes an instance out of the catalogue. */
function probeOf(check: Tree, service: Tree, env: ReadonlyMap<string, string | undefined>): readonly Probe[] {
  const type = textAt(check, 'type');
  const words = [textAt(check, 'command') ?? '', ...(textsAt(check, 'args') ?? [])];
  const port = textAt(check, 'port') ?? textAt(service, 'port');
  return [
    {
      role: at(check, 'check_restart') === undefined ? 'readiness' : 'liveness',
      line: check.line,
      ...kindOf(type),
      period: timeOf(textAt(check, 'interval')) ?? defaults.interval,
      threshold: numberAt(check, 'check_restart', 'limit') ?? Number.NaN,
      timeout: timeOf(textAt(check, 'timeout')) ?? defaults.timeout,
      ...(type === 'http' && { path: (textAt(check, 'path') ?? '/').replace(/\?.*/, '') }),
      ...(type !== 'script' && port !== undefined && { port }),
      ...(type === 'script' && { command: words, ...requestOf(words, env) }),
    },
  ];
}

function kindOf(type: string | undefined): Pick<Probe, 'kind'> {
  const kinds: Readonly<Record<string, NonNullable<Probe['kind']>>> = {
    http: 'http',
    tcp: 'tcp',
    grpc: 'grpc',
    script: 'exec',
  };
  const kind = kinds[type ?? ''];
  return kind === undefined ? {} : { kind };
}

function startOf(task: Tree): Start | undefined {
  const config = at(task, 'config');
  const words = [
    ...(textsAt(config, 'entrypoint') ?? []),
    ...[textAt(config, 'command')].filter((word) => word !== undefined),
    ...(textsAt(config, 'args') ?? []),
  ];
  return config === undefined || words.length === 0
    ? undefined
    : { line: (at(config, 'entrypoint') ?? at(config, 'command') ?? config).line, shell: false, words };
}
