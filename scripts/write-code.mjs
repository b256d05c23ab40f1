// What the bundler wrote, as it is published.
import { writeFileSync } from 'node:fs';

export function write(file, code) {
  writeFileSync(file, ascii(shortNames(plainExports(ownNames(withoutPlaces(code))))));
}

/** The bundler names the source before its code; names of functions say as much, and it takes 20 KB. */
function withoutPlaces(code) {
  return code.replace(/^\/\/ src\/\S+\n/gm, '');
}

/** The bundler's helper for exports reads inherited names too: one property on Object.prototype would keep every entry from loading. */
function ownNames(code) {
  return code.replace(/for \((?:var|const|let) (\w+) in all\)/g, 'for (const $1 of Object.keys(all))');
}

const getter =
  /Object\.defineProperty\(exports, "([^"]+)", \{\s*enumerable: true,\s*get: function \(\) \{\s*return ([\w$.]+);\s*\}\s*\}\);/g;

/** CommonJS with values in place of the bundler's getters, which take a twentieth of its bytes. They stand last: no value changes after. */
function plainExports(code) {
  return code.replace(getter, (_all, name, value) => {
    // What is not indented is at the top level.
    if ([' ', ';'].some((end) => code.includes(`\nlet ${value}${end}`)))
      throw new Error(`The export ${name} may change`);
    return `exports.${name} = ${value};`;
  });
}

/** The bundler writes `require_core.name` for a name of another file of CommonJS, three thousand times: `core_.name` says as much. */
function shortNames(code) {
  return code.replace(/\brequire_(\w+)/g, (long, name) =>
    new RegExp(`\\b${name}_\\b`).test(code) ? long : `${name}_`,
  );
}

/** The same code in ASCII: with a single letter of another alphabet V8 keeps and reads all of a file in twice the bytes. */
function ascii(code) {
  if (/\\[^\0-\x7f]|String\.raw/.test(code)) throw new Error('A letter that cannot be escaped');
  return code.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
