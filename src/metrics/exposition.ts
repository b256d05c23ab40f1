import type { Family } from './family.js';
import { escapeHelp } from './labels.js';

/** The text formats: Prometheus 0.0.4 and OpenMetrics 1.0.0. */
export type Format = 'text' | 'openmetrics';

export const contentTypes: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** Families as text. One without samples is left out. */
export function write(families: readonly Family[], format: Format): string {
  const open = format === 'openmetrics';
  let body = '';
  for (const family of families) {
    const { name } = family;
    let samples = '';
    family.collect((value, { text }, suffix = '', le) => {
      const bound = le === undefined ? '' : `${text === '' ? '' : ','}le="${boundOf(le, open)}"`;
      const labels = text === '' && bound === '' ? '' : `{${text}${bound}}`;
      samples += `${name}${suffix}${labels} ${numberOf(value)}\n`;
    });
    if (samples !== '') body += headOf(family, open) + samples;
  }
  return open ? `${body}# EOF\n` : body;
}

function headOf({ name, help, type, unit }: Family, open: boolean): string {
  // In OpenMetrics the suffix belongs to the sample and not to the family; the older format has no info.
  const family =
    open && (type === 'counter' || type === 'info') ? name.replace(/_(?:total|info)$/, '') : name;
  const known = !open && type === 'info' ? 'gauge' : type;
  const unitLine = open && unit !== undefined ? `# UNIT ${family} ${unit}\n` : '';
  return `# HELP ${family} ${escapeHelp(help, open)}\n# TYPE ${family} ${known}\n${unitLine}`;
}

/** OpenMetrics writes bounds as floating-point numbers. */
function boundOf(bound: number, open: boolean): string {
  return open && Number.isInteger(bound) ? `${bound}.0` : numberOf(bound);
}

export function numberOf(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
