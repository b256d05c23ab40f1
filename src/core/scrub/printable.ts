// Texts as a reader may see them: without the folders of a path, and without characters that move or hide other text.

// Control characters, formatting and direction marks, halves of surrogate pairs, line separators.
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;
const unprintableInJson = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu;

/** Untrusted text, safe for a terminal and on one line: characters that would move, hide or colour other text are escaped. */
export function printable(text: string): string {
  return text.replace(unprintable, escape);
}

/** Any data as JSON that is safe for a terminal and still the same data. */
export function printableJson(data: unknown): string {
  return `${JSON.stringify(data, null, 2)}\n`.replace(unprintableInJson, escape);
}

/** By UTF-16 units, as JSON wants it. */
function escape(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at += 1) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

/** A path in quotes may have spaces in it. */
const quoted =
  /(["'`])((?:[a-z][a-z\d+.-]{0,20}:\/\/)?\/[^"'`\n]*|[A-Za-z]:[\\/][^"'`\n]*|\\\\[^"'`\n]+)(?=\1)/gi;
/** file:///srv/app/x.js and unix:///run/x.sock; a URL with a host stays. */
const local = /\b[a-z][a-z\d+.-]{0,20}:\/\/\/[^\s"'`()<>,;]*/gi;
/** C:\app\x.js and \\server\share\x.js */
const windows = /(?<![\w])(?:[A-Za-z]:[\\/]|\\\\(?=\w))[^\s"'`()<>,;:]*/g;
/** /srv/app/x.js, but not the path of a URL or of a request. */
const posix =
  /(?<![\w./*~\p{L}\\-]|\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) )\/(?!\/)[^\s"'`()<>,;:]*\/[^\s"'`()<>,;:]*/gu;

/** Reduces absolute paths to their last part: the folders of an application are private. */
export function withoutFolders(text: string, known: readonly string[] = []): string {
  let shown = text;
  for (const path of known) if (isAbsolute(path)) shown = shown.replaceAll(path, lastPart(path));
  return shown
    .replace(quoted, (whole, mark: string, path: string) => (isUrl(path) ? whole : mark + lastPart(path)))
    .replace(local, lastPart)
    .replace(windows, lastPart)
    .replace(posix, lastPart);
}

/** The name of a file or folder without the folders it is in. */
export function lastPart(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  return parts.at(-1) ?? path;
}

function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/]).*[^\\/]/.test(path);
}

/** With a host in it: `https://host/path`, not `file:///path`. */
function isUrl(path: string): boolean {
  return /:\/\/[^/]/.test(path);
}
