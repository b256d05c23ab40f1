import { join } from 'node:path';
import { isMap, parseDocument, type YAMLMap } from 'yaml';
import { addKeys, type Plan, textIn } from './changes.js';
import { entriesOf } from './files.js';
import type { Project } from './project.js';

const names = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

/** Adds the time to end to the services that are built from the project; their image has the check. */
export function changeCompose(plan: Plan, { directory, files }: Project): void {
  const present = new Set(entriesOf(directory).map((entry) => entry.name));
  const name = names.find((one) => present.has(one));
  const path = join(directory, name ?? '');
  const text = name && files.own(path);
  if (name === undefined || text === undefined) return;
  const leave = (why: string): void =>
    plan.note(`${name} ${why}: lifesign-cli doctor ${name} says what its services need`);
  const document = parseDocument(text);
  if (document.errors.length > 0) return leave('does not parse');
  const services = document.get('services');
  const built = (isMap(services) ? services.items : []).flatMap(({ key, value }) =>
    isMap(value) && isBuiltHere(value) ? [{ service: String(key), map: value }] : [],
  );
  if (built.length === 0) return leave('builds no service from this folder');
  for (const { service, map } of built) {
    if (map.has('healthcheck') && !/lifesign|__lbheartbeat__/.test(JSON.stringify(map.get('healthcheck'))))
      leave(`has a healthcheck of ${service} already`);
    if (map.has('stop_grace_period')) continue;
    const reason = 'requests in progress have time to finish';
    if (!addKeys(plan, { path, name, text }, map, ['stop_grace_period: 30s'], reason))
      leave(`takes settings of ${service} from elsewhere`);
  }
}

/** Whether a service is built from the folder of the file, with its usual Dockerfile. */
function isBuiltHere(service: YAMLMap): boolean {
  const build = service.get('build');
  const file = isMap(build) ? (textIn(build, 'dockerfile') ?? 'Dockerfile') : 'Dockerfile';
  const folder = isMap(build) ? (textIn(build, 'context') ?? '') : String(build);
  return /^\.\/?$/.test(folder) && /^(?:\.\/)?Dockerfile$/.test(file);
}
