import type { Workload } from './workload.js';
import type { Front } from './fronts.js';

/** Whether the endpoints of the contract are requested, or lifesign is set up: only then its defaults are known. */
export function usesLifesign({ probes, env, build }: Workload): boolean {
  return (
    build?.lifesign === true ||
    probes.some(
      ({ path = '', command = [] }) =>
        /\/__(?:lb)?heartbeat__/.test(path) || /\blifesign\b/.test(command.join(' ')),
    ) ||
    [...env.keys()].some((name) => /^HEALTH_(?!CHECK)/.test(name))
  );
}

export const isRoot = (user: string): boolean => /^(?:root|0)(?::|$)/.test(user);

const nodeImage = /(?:^|\/)(?:node|nodejs\d*|bun|deno)(?:[:@-]|$)/;
const nodeWords =
  /(?:^|[\s"'/=;&|])(?:node|nodejs|npm|npx|yarn|pnpm|bun|deno|next|nest|tsx|ts-node|pm2(?:-runtime)?)(?=[\s"']|$)/;

/** Whether a container runs Node, or another runtime of its packages. */
export function runsNode(workload: Workload): boolean {
  const { image = '', start, env, probes, build } = workload;
  return (
    nodeImage.test(image) ||
    build?.node === true ||
    nodeWords.test((start?.words ?? []).join(' ')) ||
    probes.some(({ command = [] }) => nodeWords.test(command.join(' '))) ||
    env.has('NODE_ENV') ||
    env.has('NODE_OPTIONS') ||
    usesLifesign(workload)
  );
}

const errands =
  /(?:^|[/._-])(?:dev|devel|development|test|tests|testing|e2e|ci|local|debug|devcontainer|build|builder|lint|docs)(?=[/._-]|$)/i;

/** Whether a file is for developers and pipelines, by its name and its folder: those above say nothing of it. */
export function isForDevelopers(file: string): boolean {
  return errands.test(file.split(/[/\\]/).slice(-2).join('/'));
}

/** Ports that only tools use. */
const asidePort = /metric|prom|monitor|debug|jmx|pprof|telemetry|stats|health|liveness|probe|watchdog/i;
const agents =
  /exporter|node-problem|fluent|filebeat|metricbeat|promtail|datadog|otel|opentelemetry|cadvisor|cloud-?sql|statsd|telegraf|newrelic|kube-proxy|csi-|node-driver|(?:^|\/)pause(?:-\w+)?(?=[:@]|$)/i;

/** Whether clients send requests to a container: it has a port that is not for tools. */
export function servesClients(workload: Workload): boolean {
  const { ports, lasting, agent } = workload;
  if (lasting === false || agent === true || isAgent(workload)) return false;
  return [...ports.keys()].some((port) => !asidePort.test(port));
}

/** Whether a container is an agent or an exporter, whose pages are cheap. */
export const isAgent = ({ image = '', name }: Workload): boolean => agents.test(image) || agents.test(name);

const stores =
  /(?:^|\/)(?:postgres|postgresql|postgis|pgvector|timescaledb|mysql|mariadb|percona|mongo|mongodb|redis|redis-stack|valkey|keydb|rabbitmq|kafka|cp-kafka|redpanda|nats|zookeeper|elasticsearch|opensearch|cassandra|scylla|clickhouse|clickhouse-server|cockroach|neo4j|couchdb|influxdb|minio|memcached|etcd|consul|vault)(?:[:@]|$)/i;

/** Whether an image is a database, a broker or another store. */
export const isStore = ({ image = '' }: Pick<Workload, 'image'>): boolean => stores.test(image);

/** Facts from all files of one call, needed to judge each of them. */
export interface Call {
  /** Whether the services have lifesign: only then its paths are served. */
  readonly lifesign: boolean;
  /** Whether all manifests start the only image that is built here as another user than root. */
  readonly otherUser: boolean;
  /** The load balancers in front of the containers. */
  readonly fronts: readonly Front[];
}

const keyOf = ({ selector, targets, ...front }: Front): string =>
  JSON.stringify([front, [...(selector ?? [])], targets?.map(({ port }) => port)]);

export function callOf(workloads: readonly Workload[], fronts: readonly Front[], lifesign: boolean): Call {
  const manifests = workloads.filter(({ format }) => format !== 'dockerfile');
  const isOneImage = workloads.length - manifests.length === 1;
  return {
    lifesign: lifesign || workloads.some(usesLifesign),
    otherUser:
      isOneImage &&
      manifests.length > 0 &&
      manifests.every(({ user }) => user !== undefined && !isRoot(user.text)),
    // Overlays repeat a Service.
    fronts: [...new Map(fronts.map((front) => [keyOf(front), front])).values()],
  };
}
