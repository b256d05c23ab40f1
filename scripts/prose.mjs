// Keeps our English plain: phrases that we do not write, and spelling. `npm run prose`, or `node scripts/prose.mjs file …`.
import { readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commentPhrasesIn, phrasesIn, pronounsIn } from './prose/phrases.mjs';
import { misspelledIn } from './prose/spelling.mjs';
import { commentsOf, proseOf } from './prose/texts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Generated, style sheets, shell, lists of words. */
const notProse = new Set([
  'cli/src/explain/errors.ts',
  'cli/src/explain/rules.ts',
  'src/core/scrub/secrets.ts',
  'src/explain/messages.ts',
  'src/page/assets.ts',
]);

function filesOfTheProject() {
  const pages = ['docs', 'contributing'].flatMap((folder) =>
    readdirSync(root + folder).map((name) => `${folder}/${name}`),
  );
  const sources = ['src', 'cli/src'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true }).map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  );
  return [
    'README.md',
    'CONTRIBUTING.md',
    'SKILL.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...pages,
    ...sources,
  ].filter((file) => /\.(?:md|c?ts)$/u.test(file) && !notProse.has(file));
}

/** Comments that may begin with a pronoun: fewer whenever one is rewritten. */
const mostPronouns = 35;
let pronouns = 0;

function problemsIn(path) {
  const text = readFileSync(path, 'utf8');
  const prose = proseOf(path, text);
  const file = relative(root, path);
  const said = commentsOf(path, text);
  const comments = commentPhrasesIn(said);
  pronouns += pronounsIn(said);
  return [...phrasesIn(prose, path.endsWith('.md')), ...misspelledIn(prose), ...comments]
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, found, instead }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${file}:${line}: "${found}". Write ${instead}.`;
    });
}

const given = process.argv.slice(2);
const files =
  given.length > 0 ? given.map((file) => resolve(file)) : filesOfTheProject().map((file) => root + file);
const problems = files.flatMap(problemsIn);
if (pronouns > mostPronouns) {
  problems.push(`${pronouns} comments begin with It, They, Those …, ${mostPronouns} may: name the thing.`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`Prose: ${problems.length} to rewrite in plain English.`);
  process.exitCode = 1;
}
