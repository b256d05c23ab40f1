import { isDeepStrictEqual } from 'node:util';
import { parseObject, parseObjectIn } from '../../json.js';
import type { Exchange } from '../../http/exchange.js';
import { failed, must, quoted, type Rule, type RuleHead, should, type Verdict } from '../rule.js';
import type { Image } from './read.js';

/** An image, and the version that the running service serves. */
export interface ImageSubject {
  readonly image: Image;
  readonly served: Exchange | undefined;
}

const page = 'deployment.md';
const undetermined = (what: string): Verdict => ({ skipped: `${what} cannot be determined from this` });

/** The rules on images. */
export const imageRules: readonly Rule<ImageSubject>[] = [
  { ...must('image.version-file', '12-environment'), judge: ({ image }) => versionFileVerdict(image) },
  { ...must('image.version-same', '23-version-endpoint'), judge: versionSameVerdict },
  { ...should('image.root', page), judge: ({ image }) => rootVerdict(image) },
  { ...should('image.uid', page), judge: ({ image }) => uidVerdict(image) },
  { ...should('image.exec-form', page), judge: ({ image }) => execVerdict(image) },
  { ...must('image.port', '12-environment'), judge: ({ image }) => portVerdict(image) },
  { ...should('image.stdout', page), judge: ({ image }) => stdoutVerdict(image) },
];
export const imageHeads: readonly RuleHead[] = imageRules.map(({ name, demand, reference }) => ({
  name,
  demand,
  reference,
}));

function versionFileVerdict(image: Image): Verdict {
  if (image.kind === 'directory') {
    if ('missing' in image.version) return failed(`/app/version.json: ${image.version.missing}`);
    return parseObjectIn(image.version.text) === undefined
      ? failed('/app/version.json is not a JSON object')
      : undefined;
  }
  const { versionFiles = [], copiesSource = false } = image.workload.build ?? {};
  const elsewhere = versionFiles.filter(({ directory }) => directory !== undefined && directory !== '/app');
  if (versionFiles.length > elsewhere.length) return undefined;
  const [first] = elsewhere;
  if (first !== undefined) {
    return failed(
      `line ${first.line} puts version.json into ${first.directory}; it must be /app/version.json`,
    );
  }
  // It may come with the source, if a pipeline has written it.
  return copiesSource
    ? undetermined('whether version.json is copied')
    : failed('no instruction creates or copies version.json');
}

function versionSameVerdict({ image, served }: ImageSubject): Verdict {
  if (image.kind !== 'directory') return undetermined('the content of version.json');
  if (served === undefined) return { skipped: 'no URL was given to compare with' };
  const [file, answer] = [
    'text' in image.version ? parseObjectIn(image.version.text) : undefined,
    parseObject(served),
  ];
  if (file === undefined || answer === undefined || served.status !== 200) {
    return { skipped: 'there are not two version objects to compare' };
  }
  try {
    for (const name of Object.keys({ ...file, ...answer })) {
      const [inFile, said] = [file[name], answer[name]];
      if (isDeepStrictEqual(inFile, said)) continue;
      return failed(`${name} is ${quoted(inFile)} in /app/version.json and ${quoted(said)} in /__version__`);
    }
    return undefined;
  } catch {
    return undetermined('whether such deeply nested objects are equal');
  }
}

const isRoot = (user: string) => /^(?:root|0+)?(?::.*)?$/.test(user);

function rootVerdict(image: Image): Verdict {
  if (image.kind === 'directory') return undetermined('which user runs the process');
  const { text = 'root', line = 1 } = image.workload.user ?? {};
  return isRoot(text) ? failed(`line ${line}: the process runs as root; write USER 10001:10001`) : undefined;
}

function uidVerdict(image: Image): Verdict {
  if (image.kind === 'directory') {
    if ('missing' in image.passwd) return undetermined('which users exist');
    return /^[^:\n]+:[^:\n]*:10001:10001:/m.test(image.passwd.text)
      ? undefined
      : failed('/etc/passwd has no user with uid and gid 10001');
  }
  const { text = 'root', line = 1 } = image.workload.user ?? {};
  if (isRoot(text)) return failed(`line ${line}: the user is root; write USER 10001:10001`);
  const [user = '', group = user] = text.split(':');
  if (idOf(user, image.text) === '10001' && idOf(group, image.text) === '10001') return undefined;
  return failed(`line ${line}: USER ${text} is not known to be uid and gid 10001; write USER 10001:10001`);
}

/** A number, or that of a name which the Dockerfile makes. */
function idOf(name: string, dockerfile: string): string | undefined {
  if (/^\d+$/.test(name)) return name;
  const made = dockerfile
    .split(/\n|&&|;/)
    .find(
      (line) => /\b(?:useradd|adduser|groupadd|addgroup)\b/.test(line) && line.split(/\s+/).includes(name),
    );
  return /(?:-u|-g|--uid|--gid)[ =]*(\d+)/.exec(made ?? '')?.[1];
}

function execVerdict(image: Image): Verdict {
  if (image.kind === 'directory') return undetermined('how the process is started');
  const [first] = image.shellForms;
  if (first !== undefined) {
    return failed(
      `line ${first.line}: ${first.name} is in shell form; write ${first.name} ["program", "argument"]`,
    );
  }
  return image.workload.start === undefined ? failed('there is neither ENTRYPOINT nor CMD') : undefined;
}

const readsPort =
  /process\.env(?:\.PORT\b|\[['"]PORT)|environ[^\n]{0,20}PORT\b|getenv\(['"]PORT\b|Getenv\("PORT"|ENV(?:\.fetch\(|\[)['"]PORT|\$\{?PORT\b|%\(PORT\)/;
const fixedPort = /(?:--port|-p|--bind|-b|--listen|--http)[ =](?:[\w.*[\]]*:)?\d{2,5}\b/;

function portVerdict(image: Image): Verdict {
  if (image.kind === 'directory') {
    return image.sources.some(({ text }) => readsPort.test(text))
      ? undefined
      : undetermined('whether $PORT is read');
  }
  const { start, env } = image.workload;
  const command = start?.words.join(' ') ?? '';
  if (
    start?.shell === false &&
    /\$\{?PORT\b/.test(command) &&
    !/\b(?:ba|da|a)?sh\b.{0,200} -\w{0,9}c\b/.test(command)
  ) {
    return failed(`line ${start.line}: $PORT is not expanded in exec form; let the program read it`);
  }
  if (/\$\{?PORT\b/.test(command)) return undefined;
  const fixed = fixedPort.exec(command)?.[0];
  if (fixed !== undefined) return failed(`line ${start?.line}: ${fixed} is fixed; it must come from PORT`);
  return env.has('PORT') ? undefined : undetermined('whether $PORT is read');
}

const toFile =
  />{1,2}\s{0,9}(?!\/dev\/(?:stdout|stderr|fd|null)|&)[\w./$-]+|--(?:access|error|log)-?(?:logfile|file)?[ =](?!-(?:\s|$)|\/dev\/)\S{0,300}\.log\b/;

function stdoutVerdict(image: Image): Verdict {
  if (image.kind === 'directory') return undetermined('where log lines go');
  const { start } = image.workload;
  const found = toFile.exec(start?.words.join(' ') ?? '')?.[0];
  return found === undefined
    ? undetermined('what is printed (pass --logs)')
    : failed(`line ${start?.line}: ${found.trim()} sends lines to a file; they must go to standard output`);
}
