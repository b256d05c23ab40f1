import { nearest } from '../core/options/errors.js';

/** A part of a sentence: text, code, bold text or a link. */
export type Piece = string | readonly [kind: 'code' | 'bold' | 'link', text: string];

/** A paragraph, an item of a list, or a block of code. */
export interface Block {
  readonly kind: 'paragraph' | 'item' | 'code';
  readonly pieces: readonly Piece[];
}

/** The documentation of a message id or an error code. */
export interface Section {
  readonly id: string;
  /** Its meaning, in a short text. */
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A text without its marks. */
export function plainText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : piece[1])).join('');
}

/** How to keep a message from failing the heartbeat; `undefined` for an error code, which cannot be silenced. */
export function silencing(id: string, check = 'NAME_OF_THE_CHECK'): Block | undefined {
  const [, kind] = /^health\.([A-Z])\d{3}$/.exec(id) ?? [];
  if (kind === undefined) return undefined;
  const name = /^[a-z_]\w*$/i.test(check) ? check : JSON.stringify(check);
  const drop = [
    ['code', `silencedChecks: ['${id}']`],
    ' or ',
    ['code', `HEALTH_SILENCED_CHECKS=${id}`],
  ] as const;
  const pieces =
    kind === 'I'
      ? (['It does not fail the heartbeat. To drop it, set ', ...drop, '.'] as const)
      : ([
          'If you cannot fix the cause now: ',
          ['code', `checkOptions: { ${name}: { maxLevel: 'info' } }`],
          ' keeps the check from failing the heartbeat, and ',
          ...drop,
          ' drops this message everywhere.',
        ] as const);
  return { kind: 'paragraph', pieces };
}

const bare = (id: string) => id.toLowerCase().replace(/[^a-z0-9]/g, '');
/** The part that users leave out: `E001`, `OPTION_INVALID`. */
const withoutFamily = (id: string) => bare(id).replace(/^(?:health|lifesign)/, '');

/** The section of an id, however it is written: `health.E001`, `E001`, `lifesign_option_invalid`. */
export function find(sections: readonly Section[], text: string): Section | undefined {
  const name = bare(text);
  if (name === '') return undefined;
  return (
    sections.find(({ id }) => bare(id) === name) ?? sections.find(({ id }) => withoutFamily(id) === name)
  );
}

/** The id that was probably meant. */
export function meant(sections: readonly Section[], text: string): string | undefined {
  const ids = new Map(sections.map(({ id }) => [withoutFamily(id), id]));
  return ids.get(nearest(withoutFamily(text), [...ids.keys()]) ?? '');
}
