// Says whether this checkout can be released: `npm run release -- --check`. It changes and publishes nothing: the steps are in contributing/releasing.md.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.env.RELEASE_ROOT ?? join(import.meta.dirname, '..');
const read = (name) => readFileSync(join(root, name), 'utf8');
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

if (process.argv.slice(2).join(' ') !== '--check') {
  console.error(
    'Usage: npm run release -- --check\nIt only checks. The steps of a release are in contributing/releasing.md.',
  );
  process.exit(2);
}

const runtime = JSON.parse(read('package.json'));
const tools = JSON.parse(read('cli/package.json'));
const tag = `v${runtime.version}`;
const isRepository = (value) => /^(?:git\+)?https:\/\/[^/\s]+\/\S+$/.test(value?.url ?? value ?? '');

/** What must hold, and what to do if it does not. */
const rules = [
  [
    isRepository(runtime.repository) && isRepository(tools.repository),
    'package.json and cli/package.json need "repository": npm compares it with the workflow that publishes and refuses provenance without it. Only the owner of the repository knows its address; write it there.',
  ],
  [
    runtime.version === tools.version,
    `lifesign has version ${runtime.version}, lifesign-cli ${tools.version}. Set both: npm version <version> --workspaces --include-workspace-root`,
  ],
  [
    read('CHANGELOG.md')
      .split('\n')
      .some((line) => line.startsWith(`## ${runtime.version}`)),
    `CHANGELOG.md has no heading "## ${runtime.version}". Write what changes for users.`,
  ],
  [
    git('status', '--porcelain') === '',
    'The checkout has changes that are not committed. Commit or drop them.',
  ],
  [git('rev-parse', '--abbrev-ref', 'HEAD') === 'main', 'A release is made from main. Check it out.'],
  [
    git('tag', '--list', tag) === '' || git('rev-list', '-n', '1', tag) === git('rev-parse', 'HEAD'),
    `The tag ${tag} names another commit. Set the next version.`,
  ],
];

const broken = rules.filter(([holds]) => !holds).map(([, text]) => text);
for (const text of broken) console.error(`- ${text}`);
if (broken.length > 0) process.exitCode = 1;
else console.log(`Ready: ${tag}. contributing/releasing.md has the next steps.`);
