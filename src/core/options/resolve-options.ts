import type { Logger } from '../log.js';
import { readDeclared } from './declaration.js';
import { optionUnknown } from './errors.js';
import { readFeature } from './feature-options.js';
import { features } from './features.js';
import { type CoreOptions, coreOptions, type ResolvedOptions } from './options.js';

/** Where `version.json` is searched, in this order, if no option says where it is. */
export interface VersionDefaults {
  readonly versionPath: string;
  readonly versionFallbacks?: readonly string[];
}

/** The options whose functions get the request of the framework, which no rule knows. */
type OfRequest = 'details' | 'summaryFields' | 'summaryIgnore' | 'uid';

/**
 * Validates every option once, at start. What the caller gives wins over the environment,
 * the environment over `defaults`. `also` names the options that the caller handles itself, `nameOf` what it calls
 * the others, `texts` whether a text may stand for a number, true or false, or a list.
 */
export function resolveOptions<Request, Own = Request>(
  given: CoreOptions<Request, Own>,
  defaults: VersionDefaults & { readonly logger: (loggerName: string) => Logger },
  also: readonly string[] = [],
  nameOf: (option: string) => string = (option) => option,
  texts = false,
): ResolvedOptions<Request, Own> {
  const values = readDeclared(coreOptions, given, { labelOf: nameOf, texts });
  const { watchdog, probes, metrics, errorEndpoint } = features;
  const { versionPath } = values;
  const resolved: ResolvedOptions<Request, Own> = {
    ...values,
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the rules saw that they are functions, the caller's type says of which request
    ...(values as Pick<ResolvedOptions<Request, Own>, OfRequest>),
    logger: defaults.logger(values.loggerName),
    versionPath: versionPath ?? defaults.versionPath,
    versionFallbacks: versionPath === undefined ? (defaults.versionFallbacks ?? []) : [],
    requestIdHeaderName: values.requestIdHeaderName.toLowerCase(),
    watchdog: readFeature(watchdog, given.watchdog, nameOf('watchdog'), texts),
    probes: readFeature(probes, given.probes, nameOf('probes'), texts),
    metrics: readFeature(metrics, given.metrics, nameOf('metrics'), texts),
    errorEndpoint: readFeature(errorEndpoint, given.errorEndpoint, nameOf('errorEndpoint'), texts),
  };
  const known = [...also, ...Object.keys({ ...features, ...coreOptions }).map(nameOf)];
  for (const name of Object.keys(given)) {
    if (!known.includes(nameOf(name))) throw optionUnknown(nameOf(name), known);
  }
  return resolved;
}
