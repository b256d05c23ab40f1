interface FeatureSettings {
  /** The settings that are parts of it, by their names in it. */
  readonly parts: Readonly<Record<string, string>>;
  /** The parts that turn it on by themselves, as their variables do. */
  readonly asks: readonly string[];
}

/** Features whose options are one object, by their settings. */
const features: Readonly<Record<string, FeatureSettings>> = {
  HEALTH_WATCHDOG: {
    parts: {
      HEALTH_WATCHDOG_PORT: 'port',
      HEALTH_WATCHDOG_BUSY_AFTER: 'busyAfter',
      HEALTH_WATCHDOG_STUCK_AFTER: 'stuckAfter',
    },
    asks: ['port'],
  },
  HEALTH_PROBES: {
    parts: {
      HEALTH_PROBES_LIVE: 'live',
      HEALTH_PROBES_READY: 'ready',
      HEALTH_PROBES_STARTED: 'started',
      HEALTH_PROBES_START_WHEN: 'startWhen',
      HEALTH_PROBES_FAIL_AFTER: 'failAfter',
      HEALTH_PROBES_PASS_AFTER: 'passAfter',
      HEALTH_PROBES_RESTART_AFTER: 'restartAfter',
      HEALTH_PROBES_SECOND_OPINION_EVERY: 'secondOpinionEvery',
      HEALTH_PROBES_PROBE_EVERY: 'probeEvery',
    },
    asks: ['live', 'ready', 'started'],
  },
};

export const partSettings: readonly string[] = Object.values(features).flatMap(({ parts }) =>
  Object.keys(parts),
);

/** A feature's setting, with what the settings say of its parts. */
export function withParts(settings: object, setting: keyof typeof features): unknown {
  const given: unknown = Reflect.get(settings, setting);
  const { parts = {}, asks = [] } = features[setting] ?? {};
  const found: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(parts)) {
    const value: unknown = Reflect.get(settings, name);
    if (value !== undefined && value !== '') found[part] = value;
  }
  if (typeof given === 'object' && given !== null) return { ...found, ...given };
  const unset = given === undefined || given === '';
  const said = typeof given === 'string' ? /^(?:true|1)$/i.test(given) : given === true;
  const on = unset ? asks.some((part) => part in found) : said;
  return on && Object.keys(found).length > 0 ? found : given;
}
