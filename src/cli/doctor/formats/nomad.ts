import { at, entriesAt, placedAt, textAt, textsAt, type Tree } from '../tree.js';
import { type Probe, requestOf, type Start, timeOf, type Workload } from '../workload.js';

/** What Nomad does where nothing is written. */
const defaults = { grace: 5000, timeout: 2000 };

const all = (tree: Tree, name: string): readonly Tree[] =>
  tree.entries().flatMap(([key, value]) => (key === name ? [value] : []));
const labelOf = (block: Tree): string => String(block.items()[0]?.scalar ?? '(no name)');

/** The tasks of a job file. */
export function nomadWorkloads(document: Tree, file: string): readonly Workload[] {
  return all(document, 'job').flatMap((job) =>
    all(job, 'group').flatMap((group) => {
      const tasks = all(group, 'task').filter((task) => at(task, 'lifecycle') === undefined);
      return tasks.map((task) => workloadOf(job, group, task, tasks.length === 1, file));
    }),
  );
}

function workloadOf(job: Tree, group: Tree, task: Tree, only: boolean, file: string): Workload {
  const env = new Map(
    entriesAt(task, 'env').map(([name, { scalar }]) => [name, String(scalar ?? '')] as const),
  );
  // A service of the group is that of its only task, or of the one it names.
  const ofGroup = all(group, 'service').filter(
    (service) => only || textAt(service, 'task') === labelOf(task),
  );
  const services = [...all(task, 'service'), ...ofGroup];
  const kill = at(task, 'kill_timeout');
  const [image, user] = [textAt(task, 'config', 'image'), placedAt(task, 'user')];
  const start = startOf(task);
  return {
    format: 'nomad',
    file,
    line: task.line,
    name: `job ${labelOf(job)}, task ${labelOf(task)}`,
    env,
    ports: portsOf(group),
    probes: services.flatMap((service) =>
      all(service, 'check').flatMap((check) => probeOf(check, service, env)),
    ),
    grace: {
      ms: timeOf(textAt(task, 'kill_timeout')) ?? defaults.grace,
      ...(kill !== undefined && { line: kill.line }),
    },
    preStop: at(task, 'shutdown_delay') !== undefined || at(group, 'shutdown_delay') !== undefined,
    init: at(task, 'config', 'init')?.scalar === true,
    ...(image !== undefined && { image }),
    ...(user && { user }),
    ...(start && { start }),
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
      timeout: timeOf(textAt(check, 'timeout')) ?? defaults.timeout,
      ...(type === 'http' && { path: (textAt(check, 'path') ?? '/').replace(/\?.*/, '') }),
      ...(type === 'http' && port !== undefined && { port }),
      ...(type === 'script' && { command: words, ...requestOf(words, env) }),
    },
  ];
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
