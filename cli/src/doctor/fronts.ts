import { at, entriesAt, itemsAt, textAt, type Tree } from './tree.js';

/** A load balancer that keeps connections to containers open. */
export interface Front {
  /** For people: `Ingress shop`. */
  readonly name: string;
  /** Milliseconds that it keeps an idle connection to a container. */
  readonly idle: number;
  /** The Services it sends requests to; undefined if it is a Service itself. */
  readonly services?: readonly string[];
  /** Of a Service: the names of the ports that it sends requests to, and the labels of its pods. */
  readonly targets?: readonly { readonly port: string; readonly line: number; readonly file: string }[];
  readonly selector?: ReadonlyMap<string, string>;
}

/** Defaults of load balancers. */
const albIdle = 60_000;
const googleIdle = 600_000;

/** The load balancer or the Service that a document of Kubernetes describes. */
export function frontOf(document: Tree, file: string): Front | undefined {
  const kind = textAt(document, 'kind');
  const name = `${kind} ${textAt(document, 'metadata', 'name') ?? ''}`;
  if (kind === 'Ingress') {
    const idle = ingressIdle(document);
    return idle === undefined ? undefined : { name, idle, services: backendsOf(document) };
  }
  if (kind !== 'Service' || textAt(document, 'apiVersion') !== 'v1') return undefined;
  const annotation = numbered(
    annotationsOf(document).get('service.beta.kubernetes.io/aws-load-balancer-connection-idle-timeout'),
  );
  const selector = new Map(
    entriesAt(document, 'spec', 'selector').map(([key, { scalar }]) => [key, String(scalar)]),
  );
  const targets = itemsAt(document, 'spec', 'ports').flatMap((port) => {
    const target = at(port, 'targetPort') ?? at(port, 'port');
    const name = textAt(target);
    return target === undefined || name === undefined ? [] : [{ port: name, line: target.line, file }];
  });
  return { name, idle: annotation ?? 0, selector, targets };
}

const annotationsOf = (document: Tree): ReadonlyMap<string, string> =>
  new Map(entriesAt(document, 'metadata', 'annotations').map(([key, { scalar }]) => [key, String(scalar)]));

function ingressIdle(document: Tree): number | undefined {
  const annotations = annotationsOf(document);
  const type =
    textAt(document, 'spec', 'ingressClassName') ?? annotations.get('kubernetes.io/ingress.class') ?? '';
  const attributes = annotations.get('alb.ingress.kubernetes.io/load-balancer-attributes') ?? '';
  const written = numbered(/idle_timeout\.timeout_seconds=(\d+)/.exec(attributes)?.[1]);
  if (written !== undefined) return written;
  if (/^alb$/.test(type) || [...annotations.keys()].some((key) => key.startsWith('alb.ingress.')))
    return albIdle;
  return type.startsWith('gce') ? googleIdle : undefined;
}

const numbered = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;

function backendsOf(document: Tree): readonly string[] {
  const paths = itemsAt(document, 'spec', 'rules').flatMap((rule) => itemsAt(rule, 'http', 'paths'));
  const backends = [at(document, 'spec', 'defaultBackend'), ...paths.map((path) => at(path, 'backend'))];
  return backends.flatMap(
    (backend) => textAt(backend, 'service', 'name') ?? textAt(backend, 'serviceName') ?? [],
  );
}

/** Whether a Service sends requests to pods with these labels. */
export const selects = ({ selector }: Front, labels: ReadonlyMap<string, string>): boolean =>
  selector !== undefined &&
  selector.size > 0 &&
  [...selector].every(([key, value]) => labels.get(key) === value);

/** The load balancer of the containers with these labels that keeps idle connections longest. */
export function frontFor(labels: ReadonlyMap<string, string>, fronts: readonly Front[]): Front | undefined {
  const services = fronts.filter((front) => selects(front, labels));
  const names = new Set(services.map(({ name }) => name.replace(/^Service /, '')));
  const found = [...services, ...fronts.filter((front) => front.services?.some((name) => names.has(name)))];
  return found.filter(({ idle }) => idle > 0).toSorted((a, b) => b.idle - a.idle)[0];
}
