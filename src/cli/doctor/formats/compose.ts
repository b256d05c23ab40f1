import { at, textAt, textsAt, type Tree } from '../tree.js';
import { type Probe, requestOf, type Start, timeOf, variable, type Workload } from '../workload.js';

/** What Docker does where nothing is written. */
const defaults = { grace: 10_000, timeout: 30_000 };

/** The services of a Compose file. */
export function composeWorkloads(document: Tree, file: string): readonly Workload[] {
  const services = at(document, 'services')?.entries() ?? [];
  return services.map(([name, own]) => {
    const { service, foreign } = extended(own, services);
    const env = environmentOf(service);
    const [image, user] = [textAt(service, 'image'), textAt(service, 'user')];
    const start = startOf(service);
    return {
      format: 'compose',
      file,
      line: service.line,
      name: `service ${name}`,
      env,
      moreEnv: foreign || at(service, 'env_file') !== undefined,
      ports: portsOf(service, env),
      probes: probeOf(service, env),
      ...graceOf(service, foreign),
      init: at(service, 'init')?.scalar === true,
      ...(image !== undefined && { image: variable(image, env) }),
      ...(user !== undefined && { user: { text: user, line: at(service, 'user')?.line ?? service.line } }),
      ...(start && { start }),
    };
  });
}

/** A service with what it extends, and whether a part of that is in another file. */
function extended(
  service: Tree,
  all: readonly (readonly [string, Tree])[],
  depth = 0,
): { readonly service: Tree; readonly foreign: boolean } {
  const name = textAt(service, 'extends') ?? textAt(service, 'extends', 'service');
  if (name === undefined || depth > 10) return { service, foreign: false };
  const found = all.find(([other]) => other === name)?.[1];
  if (found === undefined || at(service, 'extends', 'file') !== undefined) return { service, foreign: true };
  const base = extended(found, all, depth + 1);
  const variables = [base.service, service].flatMap((each) => at(each, 'environment') ?? []);
  const environment = variables.length < 2 ? [] : [['environment', joined(variables)] as const];
  const entries = () => [...base.service.entries(), ...service.entries(), ...environment];
  return { service: { ...service, entries }, foreign: base.foreign };
}

/** Several mappings or lists as one. */
function joined(trees: readonly Tree[]): Tree {
  return {
    line: trees[0]?.line ?? 1,
    scalar: undefined,
    items: () => trees.flatMap((tree) => tree.items()),
    entries: () => trees.flatMap((tree) => tree.entries()),
  };
}

function graceOf(service: Tree, foreign: boolean): Pick<Workload, 'grace'> {
  const ms = timeOf(textAt(service, 'stop_grace_period'));
  const line = at(service, 'stop_grace_period')?.line;
  if (ms !== undefined && line !== undefined) return { grace: { ms, line } };
  // It may be in the other file.
  return foreign ? {} : { grace: { ms: defaults.grace } };
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
