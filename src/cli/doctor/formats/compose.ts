import { at, textAt, textsAt, type Tree } from '../tree.js';
import { type Probe, requestOf, type Start, timeOf, variable, type Workload } from '../workload.js';

/** What Docker does where nothing is written. */
const defaults = { grace: 10_000, timeout: 30_000 };

/** The services of a Compose file. */
export function composeWorkloads(document: Tree, file: string): readonly Workload[] {
  return (at(document, 'services')?.entries() ?? []).map(([name, service]) => {
    const env = environmentOf(service);
    const [image, user] = [textAt(service, 'image'), textAt(service, 'user')];
    const start = startOf(service);
    return {
      format: 'compose',
      file,
      line: service.line,
      name: `service ${name}`,
      env,
      ports: portsOf(service, env),
      probes: probeOf(service, env),
      grace: graceOf(service),
      init: at(service, 'init')?.scalar === true,
      ...(image !== undefined && { image: variable(image, env) }),
      ...(user !== undefined && { user: { text: user, line: at(service, 'user')?.line ?? service.line } }),
      ...(start && { start }),
    };
  });
}

function graceOf(service: Tree): NonNullable<Workload['grace']> {
  const ms = timeOf(textAt(service, 'stop_grace_period'));
  const line = at(service, 'stop_grace_period')?.line;
  return ms === undefined || line === undefined ? { ms: defaults.grace } : { ms, line };
}

/** A mapping, or a list of `NAME=value`; a name without a value comes from outside. */
function environmentOf(service: Tree): ReadonlyMap<string, string | undefined> {
  const environment = at(service, 'environment');
  const listed = (environment?.items() ?? []).map((item): [string, string | undefined] => {
    const [name = '', ...value] = String(item.scalar).split('=');
    return [name, value.length === 0 ? undefined : value.join('=')];
  });
  const mapped = (environment?.entries() ?? []).map(([name, { scalar }]): [string, string | undefined] => [
    name,
    scalar === null || scalar === undefined ? undefined : String(scalar),
  ]);
  return new Map([...listed, ...mapped]);
}

/** The ports inside: `8000`, `80:8000`, `127.0.0.1:80:8000/tcp`, or `target: 8000`. `expose` too. */
function portsOf(service: Tree, env: ReadonlyMap<string, string | undefined>): ReadonlyMap<string, string> {
  const published = at(service, 'ports')?.items() ?? [];
  const exposed = at(service, 'expose')?.items() ?? [];
  const ports = [...published, ...exposed].flatMap((item) => {
    const text = textAt(item, 'target') ?? String(item.scalar ?? '');
    const port = /(\d{1,5})(?:\/\w{1,9})?$/.exec(variable(text, env))?.[1];
    return port === undefined ? [] : [[port, port] as const];
  });
  return new Map(ports);
}

function probeOf(service: Tree, env: ReadonlyMap<string, string | undefined>): readonly Probe[] {
  const check = at(service, 'healthcheck');
  const test = at(check, 'test');
  if (check === undefined || test === undefined || at(check, 'disable')?.scalar === true) return [];
  const words = textsAt(test) ?? ['CMD-SHELL', String(test.scalar ?? '')];
  const [kind = '', ...command] = words;
  if (kind === 'NONE') return [];
  const initialDelay = timeOf(textAt(check, 'start_period'));
  return [
    {
      role: 'liveness',
      line: check.line,
      command,
      // Compose writes $$ for a dollar of the container's own.
      ...requestOf(
        command.map((word) => word.replaceAll('$$', '$')),
        env,
      ),
      timeout: timeOf(textAt(check, 'timeout')) ?? defaults.timeout,
      ...(initialDelay !== undefined && { initialDelay }),
    },
  ];
}

function startOf(service: Tree): Start | undefined {
  const parts = ['entrypoint', 'command'].flatMap((key) => at(service, key) ?? []);
  const [first] = parts;
  if (first === undefined) return undefined;
  // Compose splits a text into words itself: no shell is started.
  const words = parts.flatMap((part) => textsAt(part) ?? String(part.scalar ?? '').split(/\s+/));
  return { line: first.line, shell: false, words };
}
