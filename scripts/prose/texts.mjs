// Finds the prose in a file. Everything else is blanked, so that positions stay those of the file.
import { parseSync, Visitor } from 'rolldown/utils';

/** Stands for code: neither a space nor part of a word, so that no phrase spans it. */
export const code = '\u0001';
const blank = (text) => text.replaceAll(/[^\n]/g, code);

/** Replaces what is not read as prose in Markdown, and in comments that are written in it. */
const withoutMarkdownCode = (text) =>
  [
    /^([ \t*]*)(`{3,}|~{3,})[\s\S]*?^[ \t*]*\2`*[ \t]*$/gm,
    /<!--[\s\S]*?-->/g,
    /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g,
    /(?<=\])\([^)\n]*\)/g,
    /(?<=\])\[[^\]\n]*\]/g,
    /\{@\w+[^}]*\}|@\w+(?:\/[\w.-]+)?/g,
    /\bhttps?:\/\/\S+/g,
    /<[a-z/][^>\n]*>/gi,
  ].reduce((left, pattern) => left.replaceAll(pattern, blank), text);

const escapes = (text) =>
  text.replaceAll(/\\(?:u[\da-f]{4}|x[\da-f]{2}|.)/gi, (found) => ' '.repeat(found.length));
const isSentence = (text) => /[a-z]\W? \W?[a-z]/i.test(text);

/** The text of a comment, without the marks that make it one. */
const ofComment = (text) =>
  withoutMarkdownCode(
    text.replaceAll(/^[ \t]*\/?\*+\/?|\/[/*]+|\*+\//gm, (found) => ' '.repeat(found.length)),
  );

/** Comments, and with `literals` string literals of two words or more. */
function proseOfSource(file, source, literals) {
  const { program, comments } = parseSync(file, source);
  const parts = [];
  const put = (start, text) => parts.push({ start, text });
  for (const { start, end } of comments) put(start, ofComment(source.slice(start, end)));
  const literal = ({ start, end }) => {
    const text = source.slice(start, end);
    if (isSentence(text)) put(start, withoutMarkdownCode(escapes(` ${text.slice(1, -1)} `)));
  };
  const template = ({ start, end, quasis }) => {
    if (!isSentence(quasis.map((part) => part.value.raw).join('x'))) return;
    let text = blank(source.slice(start, end));
    for (const part of quasis) {
      const raw = escapes(` ${source.slice(part.start + 1, part.end - 1)} `);
      text = text.slice(0, part.start - start) + raw + text.slice(part.end - start);
    }
    const masked = withoutMarkdownCode(text);
    for (const part of quasis) put(part.start, masked.slice(part.start - start, part.end - start));
  };
  if (literals) {
    new Visitor({
      Literal: (node) => typeof node.value === 'string' && literal(node),
      TemplateLiteral: template,
    }).visit(program);
  }
  let prose = '';
  for (const { start, text } of parts.toSorted((a, b) => a.start - b.start)) {
    prose += blank(source.slice(prose.length, start)) + text;
  }
  return prose + blank(source.slice(prose.length));
}

export const proseOf = (file, text) =>
  file.endsWith('.md')
    ? withoutMarkdownCode(text.replace(/^---\n[\s\S]*?\n---\n/, blank))
    : proseOfSource(file, text, true);

/** Only the comments of a source file; nothing of a page. */
export const commentsOf = (file, text) => (file.endsWith('.md') ? '' : proseOfSource(file, text, false));
