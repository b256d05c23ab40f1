import { join } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';
import type { Change, Plan } from './changes.js';
import { entriesOf } from './files.js';
import type { Project } from './project.js';
import { behindKeys, linesAt, mapsIn, textIn } from './yaml-places.js';

const reason = '/__version__ says which commit runs';
const byHand =
  'Build the image with --build-arg COMMIT=$(git rev-parse HEAD), and /__version__ says which commit runs';

/** Gives the commit to the steps of GitHub's workflows that surely build the Dockerfile; else says how to. */
export function changePipelines(plan: Plan, { directory, files }: Project, takesCommit: boolean): void {
  const folder = join(directory, '.github/workflows');
  const names = entriesOf(folder)
    .map(({ name }) => name)
    .filter((name) => /\.ya?ml$/.test(name));
  let isGiven = false;
  for (const name of names) {
    const path = join(folder, name);
    const text = takesCommit ? files.own(path) : undefined;
    if (text === undefined) continue;
    if (/\bCOMMIT=/.test(text)) isGiven = true;
    else isGiven = changeWorkflow(plan.of(path, text), text) || isGiven;
  }
  if (takesCommit && !isGiven) plan.note(byHand);
  if (names.length > 0) plan.note('Steps of doctor, wait and verify for your workflow: docs/pipelines.md');
}

function changeWorkflow(change: Change, text: string): boolean {
  const document = parseDocument(text, { keepSourceTokens: true });
  if (document.errors.length > 0) return false;
  let isChanged = false;
  for (const [, job] of mapsIn(document.get('jobs'))) {
    const steps = job.get('steps');
    for (const step of isSeq(steps) ? steps.items : []) {
      if (!isMap(step)) continue;
      const isDone = textIn(step, 'uses')?.startsWith('docker/build-push-action@')
        ? changeAction(change, text, step)
        : changeCommand(change, text, step);
      isChanged ||= isDone;
    }
  }
  return isChanged;
}

/** docker/build-push-action: its context is the repository unless it says another. */
function changeAction(change: Change, text: string, step: YAMLMap): boolean {
  const given = step.get('with');
  if (!isMap(given)) return false;
  const context = textIn(given, 'context') ?? '.';
  const file = textIn(given, 'file') ?? 'Dockerfile';
  const isHere = /^(?:\.\/?|\$\{\{ *github\.workspace *\}\})$/.test(context);
  if (!isHere || !/^(?:\.\/)?Dockerfile$/.test(file) || given.has('target')) return false;
  const line = 'COMMIT=${{ github.sha }}';
  const args = given.get('build-args', true);
  if (args === undefined) {
    const place = behindKeys(text, given);
    if (place === undefined) return false;
    change.insert(place.at, linesAt(text, place, [`build-args: ${line}`]), reason);
    return true;
  }
  if (!isScalar(args) || args.type !== 'BLOCK_LITERAL' || !args.range) return false;
  const start = text.indexOf('\n', args.range[0]) + 1;
  const indent = /^ */.exec(text.slice(start))?.[0] ?? '';
  change.insert(start, linesAt(text, { at: start, indent }, [line]), reason);
  return true;
}

const build = /\bdocker (?:buildx )?build(?= (?:[^\n|&;]* )?\.(?:\s|$))/g;

/** `docker build … .`, of the folder and its Dockerfile. */
function changeCommand(change: Change, text: string, step: YAMLMap): boolean {
  const run = step.get('run', true);
  if (!isScalar(run) || !run.range || step.has('working-directory')) return false;
  const source = text.slice(run.range[0], run.range[1]);
  const [found, ...more] = source.matchAll(build);
  const line = /.*/.exec(source.slice(found?.index ?? 0))?.[0] ?? '';
  if (
    found === undefined ||
    more.length > 0 ||
    /\s(?:-f|--file|--target)\b/.test(line) ||
    /\bcd /.test(source)
  )
    return false;
  change.insert(run.range[0] + found.index + found[0].length, ' --build-arg COMMIT="$GITHUB_SHA"', reason);
  return true;
}
