import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { type Document, isMap, isSeq, parseAllDocuments, type YAMLMap } from 'yaml';
import type { Plan } from './changes.js';
import { entriesOf, readText } from './files.js';
import type { Project } from './project.js';
import type { Serving } from './serving.js';
import { behindKeys, linesAt, textIn } from './yaml-places.js';

const folders =
  '. deploy k8s k8s/base kubernetes deploy/kubernetes deployment manifests kube kustomize/base ops infra .k8s'.split(
    ' ',
  );
const kinds = new Set(['Deployment', 'StatefulSet']);

/** YAML files in the usual folders; templates of charts are not YAML. */
function manifestsOf(directory: string): string[] {
  return folders
    .map((folder) => join(directory, folder))
    .filter((folder) => !existsSync(join(folder, 'Chart.yaml')))
    .flatMap((folder) =>
      entriesOf(folder)
        .filter(({ name }) => /\.ya?ml$/.test(name))
        .map(({ name }) => join(folder, name)),
    );
}

/** A container of a Deployment, and where it is. */
interface Place {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly deployment: string;
  readonly container: YAMLMap;
}

/** Adds probes to the container of the Deployment that surely runs this service and has none. */
export function changeManifests(plan: Plan, project: Project, { isPlain, port }: Serving): void {
  const places = manifestsOf(project.directory).flatMap((path) => placesIn(plan, project, path));
  const names = new Set([project.name, basename(project.directory)]);
  const named = places.filter(
    ({ deployment, container }) => names.has(deployment) || names.has(imageOf(container)),
  );
  const [only] = places;
  const declared = only && firstPort(only.container);
  const number = declared && textIn(declared, 'containerPort');
  const isOnly = places.length === 1 && [undefined, String(port)].includes(number);
  const ours = named.length > 0 ? named : isOnly ? places : [];
  for (const place of ours) addProbes(plan, place, isPlain);
  const left = new Set(places.filter((place) => !ours.includes(place)).map(({ name }) => name));
  if (ours.length === 0 && left.size > 0)
    plan.note(
      `${[...left].join(', ')} names no Deployment or image ${project.name ?? 'of this service'}: add the probes of docs/probes.md to the one that runs it`,
    );
}

/** The name of the image without its registry and version. */
const imageOf = (container: YAMLMap): string =>
  (textIn(container, 'image') ?? '')
    .replace(/@.*$/, '')
    .replace(/:[^/]*$/, '')
    .replace(/^.*\//, '');

/** The containers in a file that may run the service: the only one of their Pod, with the command of their image. */
function placesIn(plan: Plan, { directory, files }: Project, path: string): Place[] {
  // UTF-16 is recognised, too: it is named then.
  const found = (readText(path) ?? '').replaceAll('\0', '');
  if (
    found.length > 1_000_000 ||
    !/^\uFEFF?kind:\s*["']?(?:Deployment|StatefulSet)/m.test(found) ||
    found.includes('{{')
  )
    return [];
  const text = files.own(path);
  if (text === undefined) return [];
  const documents = parseAllDocuments(text, { keepSourceTokens: true });
  if (!Array.isArray(documents)) return [];
  const name = relative(directory, path);
  return documents.flatMap((document: Document): Place[] => {
    if (!kinds.has(String(document.get('kind'))) || document.errors.length > 0) return [];
    const containers = document.getIn(['spec', 'template', 'spec', 'containers']);
    if (!isSeq(containers)) return [];
    const maps = containers.items.filter((item): item is YAMLMap => isMap(item));
    const [container] = maps;
    if (container === undefined || maps.length !== 1) {
      plan.note(
        `${name} has several containers: add the probes of docs/probes.md to the one that runs this service`,
      );
      return [];
    }
    // Another command of the same image is another process: a worker, a migration.
    if (container.has('command') || container.has('args')) return [];
    const deployment = document.getIn(['metadata', 'name']);
    return [{ path, name, text, deployment: String(deployment), container }];
  });
}

function addProbes(plan: Plan, { path, name, text, container }: Place, isPlain: boolean): void {
  const present = ['startupProbe', 'readinessProbe', 'livenessProbe'].filter((probe) => container.has(probe));
  if (present.length > 0) {
    const old = present.some(
      (probe) => !/\/(?:startupz|readyz|livez)$/.test(String(container.getIn([probe, 'httpGet', 'path']))),
    );
    if (old)
      plan.note(
        `${name} has probes already (${present.join(', ')}): lifesign-cli doctor ${name} says what to change in them`,
      );
    return;
  }
  if (!isPlain) {
    plan.note(`${name} got no probes, because the service answers over TLS or HTTP/2: see docs/probes.md`);
    return;
  }
  const port = portOf(container);
  if (port === undefined || container.flow === true) {
    plan.note(`${name} names no port of its container: add ports, then the probes of docs/probes.md`);
    return;
  }
  insertProbes(plan, path, text, container, port);
}

/** The first port of a container. */
function firstPort(container: YAMLMap): YAMLMap | undefined {
  const ports = container.get('ports');
  const [first] = isSeq(ports) ? ports.items : [];
  return isMap(first) ? first : undefined;
}

const portOf = (container: YAMLMap): string | undefined => {
  const port = firstPort(container);
  return port && (textIn(port, 'name') ?? textIn(port, 'containerPort'));
};

function insertProbes(plan: Plan, path: string, text: string, container: YAMLMap, port: string): void {
  const place = behindKeys(text, container);
  if (place === undefined) return;
  const change = plan.of(path, text);
  const env = container.get('env');
  const variable = ['- name: HEALTH_PROBES', "  value: 'true'"];
  const probe = (name: string, target: string, more: readonly string[]): string[] => [
    `${name}:`,
    '  httpGet:',
    `    path: ${target}`,
    `    port: ${port}`,
    ...more.map((line) => `  ${line}`),
  ];
  const lines = [
    ...probe('startupProbe', '/startupz', ['periodSeconds: 2', 'failureThreshold: 60']),
    ...probe('readinessProbe', '/readyz', ['periodSeconds: 5', 'timeoutSeconds: 2', 'failureThreshold: 2']),
    ...probe('livenessProbe', '/livez', ['periodSeconds: 10', 'timeoutSeconds: 5', 'failureThreshold: 3']),
  ];
  const reason = 'restarts what a restart fixes, and keeps every other instance in rotation';
  if (isSeq(env) && env.items[0] !== undefined && isMap(env.items[0]) && env.range) {
    const dash = text.lastIndexOf('-', env.items[0].range?.[0] ?? 0);
    const newline = text.includes('\r\n') ? '\r\n' : '\n';
    const deep = ' '.repeat(dash - (text.lastIndexOf('\n', dash) + 1));
    change.insert(
      dash,
      variable.map((line) => line + newline + deep).join(''),
      'serves /startupz, /readyz and /livez',
    );
  } else lines.unshift('env:', ...variable.map((line) => `  ${line}`));
  change.insert(place.at, linesAt(text, place, lines), reason);
}
