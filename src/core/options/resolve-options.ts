import type { Logger } from '../log.js';
import { type Declaration, readDeclared } from './declaration.js';
import { optionUnknown } from './errors.js';
import { readFeature, type ResolvedBy } from './feature-options.js';
import { features } from './features.js';
import { type CoreOptions, coreOptions, type ResolvedOptions } from './options.js';
import { host } from '../runtime.js';

/** Where `version.json` is searched, in this order, if no option says where it is. */
export interface VersionDefaults {
  readonly versionPath: string;
  readonly versionFallbacks?: readonly string[];
}

/** The options whose functions get the request of the framework, which no rule knows. */
type OfRequest = 'details' | 'uid';

/** How the options were given. */
interface Given {
  /** The options that the caller handles itself. */
  readonly also?: readonly string[];
  /** The caller's name for an option. */
  readonly nameOf?: (option: string) => string;
  /** Whether `drain` is on unless it is turned off. */
  readonly drains?: boolean;
}

/** A directory as a path; runtimes without Node's modules read no file. */
function pathOf(given: string | URL | undefined): string | undefined {
  if (given === undefined || (typeof given === 'string' && !/^file:/i.test(given))) return given;
  return host.getBuiltinModule?.('node:url').fileURLToPath(given) ?? String(given);
}

/** Validates every option once, at start. Arguments win over the environment, the environment over `defaults`. */
export function resolveOptions<Request, FrameworkRequest = Request>(
  given: CoreOptions<Request, FrameworkRequest>,
  defaults: VersionDefaults & { readonly logger: (loggerName: string) => Logger },
  { also = [], nameOf = (option) => option, drains = false }: Given = {},
): ResolvedOptions<Request, FrameworkRequest> {
  const values = readDeclared(coreOptions, given, { labelOf: nameOf });
  const read = <Table extends Declaration, Resolved>(feature: ResolvedBy<Table, Resolved>) => {
    const { name } = feature;
    return readFeature(feature, Reflect.get(given, name), nameOf(name));
  };
  const versionPath = pathOf(values.versionPath);
  const resolved: ResolvedOptions<Request, FrameworkRequest> = {
    ...values,
    summary: read(features.summary),
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the rules saw that they are functions, the caller's type says of which request
    ...(values as Pick<ResolvedOptions<Request, FrameworkRequest>, OfRequest>),
    logger: defaults.logger(values.loggerName),
    versionPath: versionPath ?? defaults.versionPath,
    versionFallbacks: versionPath === undefined ? (defaults.versionFallbacks ?? []) : [],
    requestIdHeaderName: values.requestIdHeaderName.toLowerCase(),
    page: read(features.page),
    watchdog: read(features.watchdog),
    probes: read(features.probes),
    metrics: read(features.metrics),
    drain: read({ ...features.drain, isOn: drains }),
  };
  const known = [...also, ...Object.keys({ ...features, ...coreOptions }).map(nameOf)];
  for (const name of Object.keys(given)) {
    if (!known.includes(nameOf(name))) throw optionUnknown(nameOf(name), known);
  }
  return resolved;
}
