/** The settings that are parts of `HEALTH_WATCHDOG`, by their names in it. */
const parts: Readonly<Record<string, string>> = {
  HEALTH_WATCHDOG_PORT: 'port',
  HEALTH_WATCHDOG_BUSY_AFTER: 'busyAfter',
  HEALTH_WATCHDOG_STUCK_AFTER: 'stuckAfter',
};

export const watchdogSettings: readonly string[] = Object.keys(parts);

/** `HEALTH_WATCHDOG` with what the settings say of its parts; a port asks for one, as the variable does. */
export function watchdogOf(settings: { readonly HEALTH_WATCHDOG?: unknown }): unknown {
  const { HEALTH_WATCHDOG: given } = settings;
  const found: Record<string, unknown> = {};
  for (const [setting, part] of Object.entries(parts)) {
    const value: unknown = Reflect.get(settings, setting);
    if (value !== undefined && value !== '') found[part] = value;
  }
  if (typeof given === 'object' && given !== null) return { ...found, ...given };
  const unset = given === undefined || given === '';
  const said = typeof given === 'string' ? /^(?:true|1)$/i.test(given) : given === true;
  const on = unset ? 'port' in found : said;
  return on && Object.keys(found).length > 0 ? found : given;
}
