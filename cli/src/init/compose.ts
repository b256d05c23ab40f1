import { join } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';
import type { Plan } from './changes.js';
import { entriesOf } from './files.js';
import type { Project } from './project.js';
import { addKeys, textIn } from './yaml-files.js';

const names = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

/** Adds the time to end to the service that is built from the project, and a check on its own `PORT`; on the usual port the image has one. */
export function changeCompose(
  plan: Plan,
  { directory, files }: Project,
  probe: readonly string[] | undefined,
): void {
  const present = new Set(entriesOf(directory).map((entry) => entry.name));
  const name = names.find((one) => present.has(one));
  const path = join(directory, name ?? '');
  const text = name && files.own(path);
  if (name === undefined || text === undefined) return;
  const leave = (why: string): void =>
    plan.note(
      `${name} ${why}: lifesign-cli doctor ${name} says what its healthcheck and stop_grace_period need`,
    );
  const document = parseDocument(text);
  if (document.errors.length > 0) return leave('does not parse');
  const services = document.get('services');
  const pairs = isMap(services) ? services.items : [];
  const built = pairs.flatMap(({ key, value }) =>
    isMap(value) && isBuiltHere(value) ? [{ service: String(key), map: value }] : [],
  );
  if (built.length === 0) return leave('builds no service from this folder');
  // Services with a command of their own run something else of the same image.
  const [usual, ...more] = built.filter(({ map }) => !map.has('command') && !map.has('entrypoint'));
  if (usual === undefined || more.length > 0)
    return leave('has no single service that runs this image as it is');
  const { service, map } = usual;
  // A bind mount of the sources: the modules of the image may be hidden by it.
  if (textsIn(map.get('volumes')).some((volume) => /^(?:\.\/?|\$\{PWD\})(?::|$)/.test(volume)))
    return leave(`mounts a folder of the host into ${service}`);
  const environment = map.get('environment');
  const hasPort = isMap(environment)
    ? environment.has('PORT')
    : textsIn(environment).some((one) => one.startsWith('PORT='));
  const lines = map.has('stop_grace_period') ? [] : ['stop_grace_period: 30s'];
  if (map.has('healthcheck')) {
    if (!/lifesign/.test(String(map.get('healthcheck')))) leave(`has a healthcheck of ${service} already`);
  } else if (probe === undefined) leave(`got no healthcheck for ${service}, because the Dockerfile got none`);
  else if (hasPort)
    lines.push('healthcheck:', `  test: [${['CMD', ...probe].map((word) => `'${word}'`).join(', ')}]`);
  const reason = 'requests in progress have time to finish, and the check asks the port of this service';
  if (lines.length > 0 && !addKeys(plan, { path, name, text }, map, lines, reason))
    leave(`takes settings of ${service} from elsewhere`);
}

/** Whether a service is built from the folder of the file, with its usual Dockerfile. */
function isBuiltHere(service: YAMLMap): boolean {
  const build = service.get('build');
  const isHere = /^\.\/?$/.test(isMap(build) ? (textIn(build, 'context') ?? '') : String(build));
  if (!isMap(build)) return isHere;
  return (
    isHere &&
    /^(?:\.\/)?Dockerfile$/.test(textIn(build, 'dockerfile') ?? 'Dockerfile') &&
    !build.has('target')
  );
}

/** The texts of a list; of a map in it, its source. */
const textsIn = (list: unknown): string[] =>
  (isSeq(list) ? list.items : []).map((item) =>
    isMap(item) ? (textIn(item, 'source') ?? '') : isScalar(item) ? String(item.value) : '',
  );
