// Files of the sources whose place is taken, in what is published, by what they make while developing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionsOf } from './sections.mjs';
import { publishedThreadCode } from './thread-code.mjs';

const root = join(import.meta.dirname, '..');
const { homepage = '' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const made = {
  'cli/src/explain/errors.ts': () =>
    `export const errorSections = () => ${JSON.stringify(sectionsOf('errors'))};`,
  'src/core/homepage.ts': () =>
    `export const homepage = ${JSON.stringify(homepage && homepage.replace(/\/?$/, '/'))};`,
  'src/explain/messages.ts': () =>
    `export const messageSections = () => ${JSON.stringify(sectionsOf('messages'))};`,
  'src/watchdog/thread-source.ts': async () =>
    `export const threadSource = () => ${linesOf(await publishedThreadCode())};`,
};

/** A text as code, a line of it on each line. */
function linesOf(text) {
  return `\`${text.replaceAll(/[`\\]|\$(?=\{)/g, '\\$&')}\``;
}

/** A plugin of the bundler. */
export const madeSources = {
  name: 'made-sources',
  load: (id) => Object.entries(made).find(([place]) => id === join(root, place))?.[1](),
};
