import { requestOf } from '../requests.js';
import {
  at,
  bytesOf,
  itemsAt,
  numberAt,
  placedAt,
  sized,
  textAt,
  textsAt,
  type Tree,
  variablesAt,
} from '../tree.js';
import type { Probe, Start, Workload } from '../workload.js';

const second = 1000;
/** Defaults of ECS, in seconds. */
const defaults = { grace: 30, timeout: 5, interval: 30, retries: 3 };

/** The containers of a task definition, as the file of `register-task-definition` or the output of `describe`. */
export function ecsWorkloads(document: Tree, file: string): readonly Workload[] {
  const task = at(document, 'taskDefinition') ?? document;
  const family = textAt(task, 'family') ?? '(no family)';
  // Tools that generate task definitions keep the list of containers in a file of its own.
  const containers = at(task, 'containerDefinitions')?.items() ?? task.items();
  return containers.map((container) => {
    const env = variablesAt(container, 'environment');
    // The limit of the container, or of the whole task.
    const limited = at(container, 'memory') === undefined ? task : container;
    return {
      format: 'ecs',
      file,
      line: container.line,
      name: `task ${family}, container ${textAt(container, 'name') ?? '(no name)'}`,
      env,
      ports: portsOf(container),
      probes: probeOf(container, env),
      grace: graceOf(container),
      memory: sized(placedAt(limited, 'memory'), (size) => bytesOf(`${size}Mi`)),
      init: at(container, 'linuxParameters', 'initProcessEnabled')?.scalar === true,
      image: textAt(container, 'image'),
      user: placedAt(container, 'user'),
      start: startOf(container),
    };
  });
}

function graceOf(container: Tree): NonNullable<Workload['grace']> {
  const seconds = numberAt(container, 'stopTimeout') ?? defaults.grace;
  return { ms: seconds * second, line: at(container, 'stopTimeout')?.line };
}

function portsOf(container: Tree): ReadonlyMap<string, string> {
  const ports = itemsAt(container, 'portMappings').flatMap((item) => {
    const port = textAt(item, 'containerPort');
    return port === undefined ? [] : [[port, port] as const];
  });
  return new Map(ports);
}

function probeOf(container: Tree, env: ReadonlyMap<string, string | undefined>): readonly Probe[] {
  const check = at(container, 'healthCheck');
  const [kind, ...command] = textsAt(check, 'command') ?? [];
  if (check === undefined || kind === undefined || kind === 'NONE') return [];
  const initialDelay = numberAt(check, 'startPeriod');
  return [
    {
      role: 'liveness',
      kind: 'exec',
      line: check.line,
      command,
      shell: kind === 'CMD-SHELL',
      period: (numberAt(check, 'interval') ?? defaults.interval) * second,
      threshold: numberAt(check, 'retries') ?? defaults.retries,
      ...requestOf(command, env),
      timeout: (numberAt(check, 'timeout') ?? defaults.timeout) * second,
      ...(initialDelay !== undefined && { initialDelay: initialDelay * second }),
    },
  ];
}

function startOf(container: Tree): Start | undefined {
  const parts = ['entryPoint', 'command'].flatMap((key) => at(container, key) ?? []);
  const [first] = parts;
  const words = parts.flatMap((part) => textsAt(part) ?? []);
  return first === undefined || words.length === 0 ? undefined : { line: first.line, shell: false, words };
}
