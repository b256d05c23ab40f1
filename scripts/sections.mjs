// The sections of pages of docs, for `lifesign-cli explain` and the health page: src/explain/section.ts has their shape.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '../docs');
/** The headings that are an id. */
const headings = {
  messages: /^### (health\.[A-Z]\d{3})$/m,
  errors: /^## (LIFESIGN_[A-Z_]+)$/m,
  verify: /^### ([a-z][\w.-]+)$/m,
  doctor: /^## ([a-z][\w-]+)$/m,
};
/** The word for how grave a rule is, before its text: its link is that of a page. */
const demand = /^(?:\*\*((?:must|should).*?)\*\*|(A hazard|Advice)\.) */;

export function sectionsOf(page) {
  const [, ...parts] = readFileSync(join(docs, `${page}.md`), 'utf8').split(headings[page]);
  // A split by one group gives heading, text, heading, text.
  return Array.from({ length: parts.length / 2 }, (_none, index) => {
    const [id, text] = parts.slice(2 * index, 2 * index + 2);
    // What comes before the next id is a heading of the page.
    const own = text.split(/^##? /m)[0].trim();
    const [, rule, level] = demand.exec(own) ?? [];
    const { title, ...section } = sectionOf(id, own.replace(demand, ''));
    const word = (rule ?? level)?.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/\.$/, '');
    if (word !== undefined) section.blocks[0].pieces.unshift(`${word}. `);
    return { id, title, ...section };
  });
}

function sectionOf(id, text) {
  const blocks = blocksIn(text);
  const [bold] = blocks[0].pieces;
  const first = blocks[0].pieces.map((piece) => (typeof piece === 'string' ? piece : piece[1])).join('');
  const title = bold?.[0] === 'bold' ? bold[1] : opening(first);
  return { id, title: title.replace(/[.:]$/, ''), blocks };
}

/** The first sentence, or what it says before its colon, if that is more than a label: `NestJS: …`. */
function opening(text) {
  const [sentence] = text.split(/(?<=\.) (?=[A-Z])/);
  const colon = sentence.indexOf(': ');
  return colon > 25 ? sentence.slice(0, colon) : sentence;
}

function blocksIn(text) {
  const blocks = [];
  for (const [, code, prose] of text.matchAll(/^```[^\n]*\n([\s\S]*?)^```$|((?:(?!^```)[\s\S])+)/gm)) {
    if (code !== undefined) blocks.push({ kind: 'code', pieces: [code.trimEnd()] });
    else {
      for (const part of prose.split(/\n{2,}|\n(?=- )/)) {
        const line = part.trim().replace(/\s*\n\s*/g, ' ');
        if (line === '') continue;
        const item = line.startsWith('- ');
        blocks.push({ kind: item ? 'item' : 'paragraph', pieces: piecesIn(item ? line.slice(2) : line) });
      }
    }
  }
  return blocks;
}

function piecesIn(line) {
  const marks = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)]+\)/g;
  const pieces = [];
  let end = 0;
  for (const match of line.matchAll(marks)) {
    if (match.index > end) pieces.push(line.slice(end, match.index));
    const [all, code, bold, link] = match;
    // A link to a page of ours is its name where there is no site.
    if (code !== undefined) pieces.push(['code', code]);
    else if (bold !== undefined) pieces.push(['bold', bold]);
    else pieces.push(/^`.*`$/.test(link) ? ['code', link.slice(1, -1)] : ['link', link]);
    end = match.index + all.length;
  }
  if (end < line.length) pieces.push(line.slice(end));
  return pieces;
}
