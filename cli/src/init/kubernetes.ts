import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Document, isMap, isSeq, parseAllDocuments, type YAMLMap } from 'yaml';
import { addKeys, type Plan, textIn, type YamlFile } from './changes.js';
import { entriesOf, readText } from './files.js';
import type { Project } from './project.js';
import type { Serving } from './start.js';

const folders =
  '. deploy k8s k8s/base kubernetes deploy/kubernetes deployment manifests kube kustomize/base ops infra .k8s'.split(
    ' ',
  );
const workload = /^\uFEFF?kind:\s*["']?(?:Deployment|StatefulSet)/m;

/** A container of a Deployment, and where it is. */
interface Place extends YamlFile {
  readonly deployment: string;
  readonly container: YAMLMap;
}

/** Adds probes to the container of the Deployment that surely runs this service and has none. */
export function changeManifests(plan: Plan, project: Project, { isPlain, port }: Serving): void {
  const places = manifestsOf(project.directory).flatMap((name) => placesIn(plan, project, name));
  const names = new Set([project.name, basename(project.directory)]);
  const named = places.filter(
    ({ deployment, container }) => names.has(deployment) || names.has(imageOf(container)),
  );
  const [only] = places;
  const declared = only && portOf(only.container, 'containerPort');
  const isOnly = places.length === 1 && [undefined, String(port)].includes(declared);
  const ours = named.length > 0 ? named : isOnly ? places : [];
  for (const place of ours) {
    const why = addProbes(plan, place, isPlain);
    if (why !== undefined) plan.note(`${place.name} ${why}`);
  }
  const left = new Set(places.map(({ name }) => name));
  if (ours.length === 0 && left.size > 0)
    plan.note(
      `${[...left].join(', ')} names no Deployment or image ${project.name ?? 'of this service'}: write into the container that runs it ${byHand}`,
    );
}

/** YAML files in the usual folders; templates of charts are not YAML. */
const manifestsOf = (directory: string): string[] =>
  folders
    .filter((folder) => !existsSync(join(directory, folder, 'Chart.yaml')))
    .flatMap((folder) => entriesOf(join(directory, folder)).map(({ name }) => join(folder, name)))
    .filter((name) => /\.ya?ml$/.test(name));

/** The name of the image without its registry and version. */
const imageOf = (container: YAMLMap): string | undefined =>
  /([^/:]*)(?::[^/]*)?$/.exec((textIn(container, 'image') ?? '').replace(/@.*$/, ''))?.[1];

/** The containers in a file that may run the service: the only one of their Pod, with the command of their image. */
function placesIn(plan: Plan, { directory, files }: Project, name: string): Place[] {
  const path = join(directory, name);
  // A file in UTF-16 is recognised, too: it is named then.
  const found = (readText(path) ?? '').replaceAll('\0', '');
  const isManifest = found.length < 1_000_000 && workload.test(found) && !found.includes('{{');
  const text = isManifest ? files.own(path) : undefined;
  return [...parseAllDocuments(text ?? '')].flatMap((document: Document): Place[] => {
    const containers = document.getIn(['spec', 'template', 'spec', 'containers']);
    const isOurs = /^(?:Deployment|StatefulSet)$/.test(String(document.get('kind')));
    if (text === undefined || !isOurs || document.errors.length > 0 || !isSeq(containers)) return [];
    const [container, ...more] = containers.items;
    if (!isMap(container) || more.length > 0) {
      plan.note(`${name} has several containers: write into the one that runs this service ${byHand}`);
      return [];
    }
    // Another command of the same image is another process: a worker, a migration.
    if (container.has('command') || container.has('args')) return [];
    const deployment = String(document.getIn(['metadata', 'name']));
    return [{ path, name, text, deployment, container }];
  });
}

const roles = {
  startup: ['/startupz', 'periodSeconds: 2', 'failureThreshold: 60'],
  readiness: ['/readyz', 'periodSeconds: 5', 'timeoutSeconds: 2', 'failureThreshold: 2'],
  liveness: ['/livez', 'periodSeconds: 10', 'timeoutSeconds: 5', 'failureThreshold: 3'],
} as const;

/** For people, in one line. */
const byHand = `HEALTH_PROBES: 'true' in its env, ${Object.entries(roles)
  .map(
    ([role, [path, ...times]]) =>
      `${role}Probe: { ${[`httpGet: { path: ${path}, port: PORT }`, ...times].join(', ')} }`,
  )
  .join(', ')}`;

/** Returns why a container gets no probes; undefined if it has lifesign's now. */
function addProbes(plan: Plan, place: Place, isPlain: boolean): string | undefined {
  const { path, name, text, container } = place;
  const present = Object.entries(roles).filter(([role]) => container.has(`${role}Probe`));
  if (
    present.every(([role, [own]]) => container.getIn([`${role}Probe`, 'httpGet', 'path']) === own) &&
    present[0]
  )
    return undefined;
  if (present.length > 0)
    return `has probes already (${present.map(([role]) => `${role}Probe`).join(', ')}): lifesign-cli doctor ${name} says what to change in them`;
  if (!isPlain)
    return `got no probes, because the service answers over TLS or HTTP/2: write ${byHand}, with scheme: HTTPS in each httpGet`;
  const port = portOf(container, 'name') ?? portOf(container, 'containerPort');
  const probes = Object.entries(roles).flatMap(([role, [asked, ...times]]) => [
    `${role}Probe:`,
    '  httpGet:',
    `    path: ${asked}`,
    `    port: ${port}`,
    ...times.map((line) => `  ${line}`),
  ]);
  const env = container.get('env');
  const [first] = isSeq(env) ? env.items : [];
  const isBlock = isMap(first) && first.flow !== true;
  const lines = container.has('env')
    ? probes
    : ['env:', '  - name: HEALTH_PROBES', "    value: 'true'", ...probes];
  const reason = 'restarts what a restart fixes, and keeps every other instance in rotation';
  const isWritable = port !== undefined && (isBlock || !container.has('env'));
  if (!isWritable || !addKeys(plan, place, container, lines, reason))
    return `names no port of its container, or is not written in blocks: add ports, then write into the container ${byHand}`;
  if (!isMap(first)) return undefined;
  const dash = text.lastIndexOf('-', first.range?.[0] ?? 0);
  const indent = ' '.repeat(dash - (text.lastIndexOf('\n', dash) + 1));
  const added = `- name: HEALTH_PROBES\n${indent}  value: 'true'\n${indent}`;
  plan.of(path, text).insert(dash, added, 'serves /startupz, /readyz and /livez');
  return undefined;
}

/** The name or the number of the first port of a container. */
function portOf(container: YAMLMap, key: 'name' | 'containerPort'): string | undefined {
  const ports = container.get('ports');
  const [first] = isSeq(ports) ? ports.items : [];
  return isMap(first) ? textIn(first, key) : undefined;
}
