// Writes what is not written by hand, before the site is built: docs/api/ from the types and their JSDoc, docs/files/ from the repository.
import { access, cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, Converter } from 'typedoc';
import { writeFiles } from './files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports: entries } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));

/** Entries that people import by name; the others are loaded by a framework. */
const loadedByName = /^\.\/(?:adonisjs\/health_|package\.json$|schemas)/;
/** By what typedoc calls the file. */
const names = new Map();
const entryPoints = [];
for (const [path, target] of Object.entries(entries)) {
  const file = typeof target === 'string' ? target : target.import;
  if (loadedByName.test(path) || !file?.endsWith('.js')) continue;
  const source = file.replace('./dist/', '').replace(/\.js$/, '');
  entryPoints.push(`${root}src/${source}.ts`);
  names.set(source.replace(/\/index$/, ''), path.replace('.', 'lifesign'));
}

const out = `${root}docs/api`;
await rm(out, { recursive: true, force: true });
const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: `${root}tsconfig.json`,
  entryPoints,
  outputs: [{ name: 'markdown', path: out }],
  alwaysCreateEntryPointModule: true,
  readme: 'none',
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  // The compiler of the project has checked them.
  skipErrorChecking: true,
  logLevel: 'Error',
  // Options of the Markdown.
  outputFileStrategy: 'modules',
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  pageTitleTemplates: { index: 'API', module: '{name}' },
  propertiesFormat: 'table',
  interfacePropertiesFormat: 'table',
});
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? []) {
    const name = names.get(module.name);
    if (name === undefined) throw new Error(`${module.name} is not an entry of package.json`);
    module.name = name;
  }
});
const project = await app.convert();
if (project === undefined) throw new Error('typedoc could not read the entries');
await app.generateOutputs(project);
await nameClearly(out);
await anchorClearly(out);
await writeFiles(root);
// The first page names its picture by address.
await cp(`${root}docs/images`, `${root}docs/public/images`, { recursive: true });

/** typedoc numbers a page whose name it has used for something without a page: `signals-2.md`. The number goes, in the links too. */
async function nameClearly(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.md'));
  const numbered = files.filter((file) => /-\d+\.md$/.test(file));
  for (const file of numbered) {
    const taken = await access(`${folder}/${clear(file)}`).then(
      () => true,
      () => false,
    );
    if (taken) throw new Error(`docs/api/${file} has no name of its own`);
    await rename(`${folder}/${file}`, `${folder}/${clear(file)}`);
  }
  for (const file of files.map(clear)) {
    const text = await readFile(`${folder}/${file}`, 'utf8');
    let linked = text;
    for (const name of numbered.map((each) => each.slice(each.lastIndexOf('/') + 1))) {
      linked = linked.replaceAll(`/${name}`, `/${clear(name)}`).replaceAll(`(${name}`, `(${clear(name)}`);
    }
    if (linked !== text) await writeFile(`${folder}/${file}`, linked);
  }
}

/** typedoc numbers anchors as if a name that it only refers to had a heading: `#healthoptions-1`. Without such a heading the number goes. */
async function anchorClearly(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.md'));
  const texts = new Map();
  for (const file of files) texts.set(file, await readFile(`${folder}/${file}`, 'utf8'));
  const headings = (file, name) =>
    [...(texts.get(file) ?? '').matchAll(/^#+ (.+)$/gm)].filter(
      ([, text]) => text.toLowerCase().replaceAll(/[^\w-]/g, '') === name,
    ).length;
  for (const [file, text] of texts) {
    const linked = text.replaceAll(/\(([^()#]*)#([\w-]+?)-(\d+)\)/g, (link, path, name, number) => {
      const target = path === '' ? file : join(dirname(file), path);
      return headings(target, name) === Number(number) ? `(${path}#${name})` : link;
    });
    if (linked !== text) await writeFile(`${folder}/${file}`, linked);
  }
}

function clear(name) {
  return name.replace(/-\d+\.md$/, '.md');
}
