import { clean } from '../core/scrub/scrub.js';

const longestValue = 200;

/** The fields of a version object that are reported, a fixed set, as text without secrets: empty if one is missing or not a scalar. */
export function buildOf(version: Readonly<Record<string, unknown>>) {
  const textOf = (name: string): string => {
    const value = Object.hasOwn(version, name) ? version[name] : undefined;
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isScalar ? clean(String(value), longestValue) : '';
  };
  return {
    commit: textOf('commit'),
    version: textOf('version'),
    build: textOf('build'),
    source: textOf('source'),
  };
}
