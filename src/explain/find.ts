import { slips } from '../core/options/nearest.js';
import type { Section } from './section.js';

const bare = (id: string) => id.toLowerCase().replace(/[^a-z0-9]/g, '');
/** The part that users leave out: `E001`, `OPTION_INVALID`. */
const withoutFamily = (id: string) => bare(id).replace(/^(?:health|lifesign)/, '');

/** The section of an id, however it is written: `health.E001`, `E001`, `lifesign_option_invalid`. */
export function find(sections: readonly Section[], given: string): Section | undefined {
  const wanted = bare(given);
  if (wanted === '') return undefined;
  return (
    sections.find(({ id }) => bare(id) === wanted) ?? sections.find(({ id }) => withoutFamily(id) === wanted)
  );
}

const maxSuggestions = 3;

/** The ids that were probably meant, the nearest first: a typo or two away, or containing the given text. */
export function meant(sections: readonly Section[], given: string): readonly string[] {
  const wanted = withoutFamily(given.slice(0, 100));
  if (wanted === '') return [];
  return sections
    .map(({ id }) => {
      const known = withoutFamily(id);
      const part = wanted.length > 3 && (known.includes(wanted) || wanted.includes(known));
      return { id, far: part ? 1 : slips(known, wanted) };
    })
    .filter(({ far }) => far <= 2)
    .toSorted((one, other) => one.far - other.far)
    .slice(0, maxSuggestions)
    .map(({ id }) => id);
}
