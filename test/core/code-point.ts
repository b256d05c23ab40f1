import fc from 'fast-check';

/** Any character, surrogates apart. As `unit` of `fc.string`: its own unit `binary` makes a table of all of them first, which takes a second. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10_ff_ff - 0x8_00 })
  .map((code) => String.fromCodePoint(code < 0xd8_00 ? code : code + 0x8_00));
