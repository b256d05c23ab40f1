// British spelling, by the word list of cspell. Names and terms that it does not know are in words.txt.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodeTrie } from 'cspell-trie-lib';

const file = createRequire(import.meta.url).resolve('@cspell/dict-en-gb-mit');
const english = decodeTrie(gunzipSync(readFileSync(new URL('en_GB.trie.gz', pathToFileURL(file)))));
const ours = new Set(
  readFileSync(new URL('words.txt', import.meta.url), 'utf8')
    .split('\n')
    .map((word) => word.trim())
    .filter((word) => word !== '' && !word.startsWith('#')),
);

/** Words of letters only: what has digits, dots, slashes or capitals inside is a name in code. */
const word = /(?<![\p{L}\p{N}_$@.\\/-])\p{L}\p{Ll}{2,}(?:[’']\p{Ll}+)?(?![\p{L}\p{N}_$@\\/]|\.\p{L})/gu;

const known = new Map();
function isKnown(given) {
  const plain = given.replace('’', "'");
  const stem = plain.replace(/'s$/u, '');
  return [plain, stem].some((text) =>
    [text, text.toLowerCase()].some((form) => ours.has(form) || english.hasWord(form, true)),
  );
}

const insteadOf = (text) => {
  const near = english
    .suggest(text.toLowerCase(), { numSuggestions: 3 })
    .slice(0, 3)
    .map((suggestion) => `"${suggestion}"`);
  return [...near, 'add the name or term to scripts/prose/words.txt'].join(', or ');
};

/** @returns {{ index: number, found: string, instead: string }[]} */
export function misspelledIn(prose) {
  const found = [];
  for (const { index, 0: text } of prose.matchAll(word)) {
    if (!known.has(text)) known.set(text, isKnown(text));
    if (known.get(text)) continue;
    found.push({ index, found: text, instead: insteadOf(text) });
  }
  return found;
}
