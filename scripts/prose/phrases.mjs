// Phrases that we do not write, each with what to write instead. A space in a pattern is any white space: texts wrap.
import { code } from './texts.mjs';

const phrase = (pattern, instead, flags = 'giu') => ({
  pattern: new RegExp(pattern.source.replaceAll(' ', String.raw`\s+`), flags),
  instead,
});

const units = 'millisecond|second|minute|hour|day|week|month|year';
const rows =
  'line|row|rule|test|file|heading|check|column|entry|field|job|name|page|process|request|section|table|word';

const phrases = [
  phrase(/\bas ever\b/, '"as before", "as usual", or nothing'),
  phrase(/\b(?:those who|whoever|he who|who ever)\b/, 'who it is: "you", "callers", "clients that"'),
  phrase(/\bwhat (?:was|is|were|it|they) (?:thrown|threw|throws)\b/, '"the error"'),
  phrase(/(?<!\b(?:let|left|leave|leaves|stand)(?: it| them| me)? )\balone\b/, '"only", "by itself"'),
  phrase(/\bbelong(?:s|ed)? into\b/, '"belongs in", "call it from"'),
  phrase(/\bstop(?:s|ped)? to (?!the\b|a\b)[a-z]+/, '"stops accepting": the -ing form'),
  phrase(
    new RegExp(String.raw`\b(?:a|one) (?:${rows}) an? (?!(?:${units})\b)[a-z]+`, 'u'),
    '"one … per …", "a … for each …"',
  ),
  phrase(/\bprofiles? [abc]\b/, '"settings-style" or "extension-style"'),
  phrase(/\bspec(?: §)? \d/, 'a link to the section of docs/contract.md'),
  phrase(/\bfor ever\b/, '"forever", "indefinitely"'),
  phrase(/\banew\b/, '"again"'),
  phrase(/\b(?:right|just) behind\b/, '"right after"'),
  phrase(/\bthere where\b/, '"where"'),
  phrase(/\bleave it out for\b/, '"omit it to use the default (…)"'),
  phrase(/\bno [a-z]+ any ?more\b/, '"no longer"'),
  phrase(/\bmend(?:s|ed|ing)?\b/, '"fix"'),
  phrase(/\b(?:that|those) of\b/, 'the noun again: "the level of the worst check"'),
  phrase(/\b(?:lent|lends?)\b/, '"checked out", "checks out"'),
  phrase(/\bshall\b/, '"must", "should" or "will"'),
  phrase(/\b(?:stands?|stood) (?:in|on|before|there|at)\b/, '"is in", "runs before"'),
  phrase(/\b(?:be|are|is|was|were) of (?:help|use)\b/, '"helps", "is useful"'),
];

/** In comments, which say why: a maintainer has the words of the code for who does what. */
const inComments = [
  phrase(/\bask(?:s|ed|ing)?\b(?!:)/, '"requests", "queries", "calls", "reads"'),
  phrase(/\bwhatever\b/, '"regardless of", "any"'),
  phrase(/\b(?:some|no|any|every)body\b/, 'who it is, or the passive: "the caller", "is not read"'),
  phrase(/\btold\b|\btells?\b/, '"reported", "logged", "shows", "says"'),
  phrase(/\bwhat there is\b/, 'the noun'),
  phrase(
    /\b(?:undefined|empty|infinity|throws|rejects|false|true|none|nothing|also|only|else|even|\d+) where\b/,
    '"if"',
  ),
  phrase(/, where (?:it|one|there|that|they|this|none|nothing|no)\b/, '"if"'),
  phrase(/\bstrangers?\b/, '"clients", "untrusted text"'),
  phrase(/\btroubles?\b/, '"fault", "failure"'),
  phrase(/\b(?:is|are|was|were) over\b/, '"has ended", "is up"'),
  phrase(/\b(?:can|to) be had\b/, '"is available", "is possible"'),
];

/** Twice in a row, written the same way. */
const twice = /\b(?!had|that)([a-z]{2,}) *(?: |\n) *\1\b(?![-.])/gu;

/** A heading names a thing; the text below it starts a sentence. Names that are written small may start one. */
const belowHeading = /^#{1,6} [^\n]*\n\s*(?!lifesign|pino|npm|systemd|winston)(?=[a-z])/gmu;

const find = (list, prose) =>
  list.flatMap(({ pattern, instead }) =>
    Array.from(prose.matchAll(pattern), (match) => ({
      index: match.index,
      found: match[0].replaceAll(/\s+/g, ' '),
      instead,
    })),
  );

/** Comments whose first word is a pronoun: what it stands for is in no sentence before it. */
const pronouns = new RegExp(String.raw`(?<=^|${code})\s*(?:It|They|Them|These|Those)\b`, 'gu');

export const pronounsIn = (comments) => [...comments.matchAll(pronouns)].length;

/** @returns {{ index: number, found: string, instead: string }[]} */
export const commentPhrasesIn = (comments) => find(inComments, comments);

/** @returns {{ index: number, found: string, instead: string }[]} */
export function phrasesIn(prose, isMarkdown) {
  const found = find([...phrases, { pattern: twice, instead: 'the word once' }], prose);
  if (!isMarkdown) return found;
  const unfinished = Array.from(prose.matchAll(belowHeading), ({ index, 0: match }) => ({
    index: index + match.length,
    found: prose.slice(index + match.length).split(/\s/u, 1)[0],
    instead: 'a sentence of its own below a heading, with a capital letter',
  }));
  return [...found, ...unfinished];
}
