import { requestOf, variable } from '../requests.js';
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
  timeOf,
  type Tree,
} from '../tree.js';
import type { Need, Probe, Start, Workload } from '../workload.js';

/** Docker's defaults. */
const defaults = { grace: 10_000, timeout: 30_000, interval: 30_000, retries: 3 };

/** The services of a Compose file. */
export function composeWorkloads(document: Tree, file: string): readonly Workload[] {
  const services = at(document, 'services');
  let inherited = 0;
  const awaited = awaitedOf(services, 'service_healthy');
  const completed = awaitedOf(services, 'service_completed_successfully');
  return entriesAt(services).map(([name, own]) => {
    const { service, layers, foreign } = extended(own, services);
    inherited += layers.length === 1 ? 0 : service.entries().length;
    const env = new Map(
      layers.flatMap((layer) => {
        const variables = environmentOf(layer);
        if (layer !== own) inherited += variables.length;
        if (inherited > maxInherited) throw new RangeError('its services inherit too much');
        return variables;
      }),
    );
    const image = textAt(service, 'image');
    const start = startOf(service);
    return {
      format: 'compose',
      file,
      line: service.line,
      name: `service ${name}`,
      env,
      moreEnv: foreign || at(service, 'env_file') !== undefined,
      ports: portsOf(service, env),
      published: publishedOf(service),
      probes: probeOf(service, env),
      grace: graceOf(service, foreign),
      memory: sized(
        placedAt(service, 'deploy', 'resources', 'limits', 'memory') ?? placedAt(service, 'mem_limit'),
        (text) => bytesOf(text, true),
      ),
      needs: needsOf(service, services),
      awaited: awaited.has(name),
      ...((completed.has(name) || errand.test(start?.words[0] ?? '')) && { lasting: false }),
      init: at(service, 'init')?.scalar === true,
      image: image && variable(image, env),
      user: placedAt(service, 'user'),
      start,
    };
  });
}

/** Entries that the services of a file take over from others: a small file can multiply them without end. */
const maxInherited = 200_000;

interface Extended {
  readonly service: Tree;
  /** The services that it extends, the service itself last. */
  readonly layers: readonly Tree[];
  /** Whether a part is in another file. */
  readonly foreign: boolean;
}

/** A service with the services it extends. */
function extended(service: Tree, all: Tree | undefined, depth = 0): Extended {
  const name = textAt(service, 'extends') ?? textAt(service, 'extends', 'service');
  if (name === undefined || depth > 10) return { service, layers: [service], foreign: false };
  const found = at(all, name);
  if (found === undefined || at(service, 'extends', 'file') !== undefined) {
    return { service, layers: [service], foreign: true };
  }
  const base = extended(found, all, depth + 1);
  const entries = [...base.service.entries(), ...service.entries()];
  return {
    service: { ...service, entries: () => entries },
    layers: [...base.layers, service],
    foreign: base.foreign,
  };
}

function graceOf(service: Tree, foreign: boolean): Workload['grace'] {
  const ms = timeOf(textAt(service, 'stop_grace_period'));
  const line = at(service, 'stop_grace_period')?.line;
  if (ms !== undefined && line !== undefined) return { ms, line };
  // It may be in the other file.
  return foreign ? undefined : { ms: defaults.grace };
}

/** A mapping, or a list of `NAME=value`; a name without a value comes from outside. */
function environmentOf(service: Tree): readonly [string, string | undefined][] {
  const listed = itemsAt(service, 'environment').map((item): [string, string | undefined] => {
    const [name = '', ...value] = String(item.scalar).split('=');
    return [name, value.length === 0 ? undefined : value.join('=')];
  });
  const mapped = entriesAt(service, 'environment').map(([name, { scalar }]): [string, string | undefined] => [
    name,
    scalar === null || scalar === undefined ? undefined : String(scalar),
  ]);
  return [...listed, ...mapped];
}

/** The ports inside: `8000`, `80:8000`, `127.0.0.1:80:8000/tcp`, or `target: 8000`. `expose` too. */
function portsOf(service: Tree, env: ReadonlyMap<string, string | undefined>): ReadonlyMap<string, string> {
  const published = itemsAt(service, 'ports');
  const exposed = itemsAt(service, 'expose');
  const ports = [...published, ...exposed].flatMap((item) => {
    const text = textAt(item, 'target') ?? String(item.scalar ?? '');
    const port = /(\d{1,5})(?:\/\w{1,9})?$/.exec(variable(text, env))?.[1];
    return port === undefined ? [] : [[port, port] as const];
  });
  return new Map(ports);
}

/** The ports outside, which nothing in the container listens on: `80` of `80:8000`. */
function publishedOf(service: Tree): ReadonlySet<string> {
  const ports = itemsAt(service, 'ports').map(
    (item) =>
      textAt(item, 'published') ?? /(?:^|:)(\d{1,5}):\d{1,5}(?:\/\w+)?$/.exec(String(item.scalar ?? ''))?.[1],
  );
  return new Set(ports.filter((port) => port !== undefined));
}

function probeOf(service: Tree, env: ReadonlyMap<string, string | undefined>): readonly Probe[] {
  const check = at(service, 'healthcheck');
  const test = at(check, 'test');
  if (check === undefined || test === undefined || at(check, 'disable')?.scalar === true) return [];
  const words = textsAt(test) ?? ['CMD-SHELL', String(test.scalar ?? '')];
  const [kind = '', ...command] = words;
  if (kind === 'NONE') return [];
  const time = (name: string) => timeOf(textAt(check, name));
  // Compose writes $$ for a dollar of the container's own.
  const request = requestOf(
    command.map((word) => word.replaceAll('$$', '$')),
    env,
  );
  // Compose itself restarts nothing: a check of /readyz is for `depends_on`. A Swarm, with its restart policy, does.
  const isReadiness =
    /^\/readyz\/?$/.test(request.path ?? '') && at(service, 'deploy', 'restart_policy') === undefined;
  return [
    {
      role: isReadiness ? 'readiness' : 'liveness',
      kind: 'exec',
      line: check.line,
      command,
      shell: kind === 'CMD-SHELL',
      period: time('interval') ?? defaults.interval,
      threshold: numberAt(check, 'retries') ?? defaults.retries,
      startInterval: time('start_interval'),
      ...request,
      timeout: time('timeout') ?? defaults.timeout,
      initialDelay: time('start_period'),
    },
  ];
}

/** As a shell splits a line: quoted text is one word. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
    ([, double, single, plain = '']) => double ?? single ?? plain,
  );
}

function startOf(service: Tree): Start | undefined {
  const parts = ['entrypoint', 'command'].flatMap((key) => at(service, key) ?? []);
  const [first] = parts;
  if (first === undefined) return undefined;
  // Compose splits a text into words itself: no shell is started.
  const words = parts.flatMap((part) => textsAt(part) ?? wordsOf(String(part.scalar ?? '')));
  return { line: first.line, shell: false, words };
}

/** The services that one depends on: names in a list, or a mapping with conditions. */
function needsOf(service: Tree, all: Tree | undefined): readonly Need[] {
  const listed = itemsAt(service, 'depends_on').map((item) => [String(item.scalar), item] as const);
  return [...listed, ...entriesAt(service, 'depends_on')].map(([name, item]) => {
    const other = at(all, name);
    const condition = textAt(item, 'condition');
    const check = at(other, 'healthcheck');
    // Without a test of its own it is the image's.
    const [test] = textsAt(check, 'test') ?? [textAt(check, 'test')];
    const off = at(check, 'disable')?.scalar === true || test === 'NONE';
    const checked = check !== undefined && !off;
    return {
      name,
      line: item.line,
      checked,
      off,
      image: textAt(other, 'image'),
      condition: condition === 'service_started' ? undefined : condition,
    };
  });
}

/** Programs that prepare files and end. */
const errand = /^(?:\/\S*\/)?(?:chown|chmod|mkdir|cp|mv|rm|ln|tar)$/;

/** The services that others wait for with a condition. */
function awaitedOf(services: Tree | undefined, condition: string): ReadonlySet<string> {
  const conditions = entriesAt(services).flatMap(([, service]) => entriesAt(service, 'depends_on'));
  return new Set(
    conditions.flatMap(([name, item]) => (textAt(item, 'condition') === condition ? [name] : [])),
  );
}
