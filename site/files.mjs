// Writes docs/files/: the files of the repository that pages link to, a page each, and a list for each folder.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';

const languages = {
  '': 'docker',
  '.cjs': 'js',
  '.mjs': 'js',
  '.cts': 'ts',
  '.mts': 'ts',
  '.cfg': 'text',
  '.conf': 'nginx',
  '.service': 'ini',
  '.alloy': 'hcl',
};
const shown = /\.(?:alloy|cfg|conf|[cm]?[jt]s|hcl|json|service|toml|ya?ml)$|(?:^|\/)Dockerfile$/;

/** No outline and no neighbours: these are read from a link, and left again. */
const page = (title, text) =>
  `---\ntitle: ${title}\noutline: false\nprev: false\nnext: false\n---\n\n# ${title}\n\n${text}`;

export async function writeFiles(root) {
  const out = `${root}docs/files`;
  await rm(out, { recursive: true, force: true });
  const write = async (name, text) => {
    await mkdir(dirname(`${out}/${name}`), { recursive: true });
    await writeFile(`${out}/${name}`, text);
  };
  const writeFolder = async (path) => {
    const entries = await readdir(`${root}${path}`, { withFileTypes: true });
    const links = [];
    for (const entry of entries.toSorted((a, b) => a.name.localeCompare(b.name))) {
      const name = `${path}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== 'node_modules') {
        await writeFolder(name);
        links.push(`- [${entry.name}/](./${entry.name}/index.md)`);
      } else if (shown.test(name)) {
        const text = await readFile(`${root}${name}`, 'utf8');
        const language = languages[extname(name)] ?? extname(name).slice(1);
        await write(`${name}.md`, page(name, `\`\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\`\n`));
        links.push(`- [${entry.name}](./${entry.name}.md)`);
      }
    }
    await write(`${path}/index.md`, page(path, `${links.join('\n')}\n`));
  };
  for (const folder of ['actions', 'deploy', 'examples', 'schemas']) await writeFolder(folder);
  // The evidence that pages link to.
  for (const name of ['brokers', 'clients', 'comparison', 'threats']) {
    const text = await readFile(`${root}contributing/${name}.md`, 'utf8');
    await write(`contributing/${name}.md`, text.replaceAll('](../docs/', '](../../'));
  }
  for (const name of ['README.md', 'SECURITY.md']) {
    const text = await readFile(`${root}${name}`, 'utf8');
    // Links from the root of the repository lead to pages of the site; those to its other documents are words.
    const linked = text
      .replaceAll('](docs/', '](../')
      .replaceAll('](deploy/prometheus)', '](./deploy/prometheus/index.md)')
      .replaceAll(/\[([^\]]+)\]\((?:CHANGELOG|CONTRIBUTING|LICENSE|contributing)[^)]*\)/g, '$1');
    await write(name, linked);
  }
}
