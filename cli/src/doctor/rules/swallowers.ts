const init = /^(?:\/\S*\/)?(?:tini|dumb-init|catatonit|s6-svscan)$/;
const runners = /^(?:\/\S*\/)?(npm|npx|yarn|pnpm|corepack)$/;
const entrypoint = /(?:^|\/)(?:docker-)?entrypoint(?:\.sh)?$/;
const shells = /^(?:\/\S*\/)?(?:sh|bash|ash|dash|zsh)$/;

/** Processes between the platform and the application. */
export interface Swallower {
  readonly name: string;
  /** Whether one command is all that it runs. */
  readonly only: boolean;
}

/** Undefined if none does. */
export function swallowerOf(shell: boolean, words: readonly string[], image = ''): Swallower | undefined {
  const [first = '', ...rest] = words;
  const only = !/[;&|\n]/.test(words.join(' '));
  if (shell) {
    // A shell that becomes the application is out of the way.
    const line = first.trim();
    if (/^exec\s/.test(line)) return swallowerOf(false, line.split(/\s+/).slice(1));
    const becomes = becomesIn(line);
    if (becomes.length > 0) return becomes.find((each) => each !== undefined);
    if (becomesLast(image, 'sh', line)) return lastOf(line, only);
    return {
      name: `A shell (the form without brackets: ${line.length > 60 ? `${line.slice(0, 60)}…` : line})`,
      only,
    };
  }
  if (init.test(first)) {
    const inner = rest.filter((word) => !word.startsWith('-'));
    return rest.includes('-g') ? undefined : swallowerOf(false, inner, image);
  }
  // By convention such a script ends with exec "$@".
  if (entrypoint.test(first) && rest.length > 0) return swallowerOf(false, rest, image);
  const [, runner] = runners.exec(first) ?? [];
  if (runner !== undefined) return { name: runner, only };
  if (!shells.test(first)) return undefined;
  const flag = rest.findIndex((word) => /^-\w*c$/.test(word));
  const script = rest[flag + 1] ?? '';
  // A file may end in exec, or pass signals on; a line shows it.
  if (flag === -1 || /(?:^|[;&\n])\s{0,100}trap\s/.test(script)) return undefined;
  const becomes = becomesIn(script);
  if (becomes.length === 0 && becomesLast(image, first, script)) return lastOf(script, only);
  return becomes.length === 0 ? { name: 'A shell', only } : becomes.find((each) => each !== undefined);
}

/** The program that replaces a shell, after the beginning of a command. */
const becoming = /(?:^|[;&|{\n]|\b(?:then|else|do)\s)\s{0,100}exec\s{1,100}([^\s;&|]{1,300})/g;

function becomesIn(script: string): readonly (Swallower | undefined)[] {
  return [...script.matchAll(becoming)].map(([, word = '']) => {
    const name = runners.exec(word)?.[1];
    return name === undefined ? undefined : { name, only: false };
  });
}

/** Images whose `sh` is Bash or BusyBox's. */
const otherShells =
  /alpine|busybox|(?:^|\/)(?:fedora|centos|rockylinux|almalinux|amazonlinux|opensuse\S*|ubi\d*\S*)(?:[:@/]|$)/;

/** Bash and BusyBox become the last command of a line: no process is between. */
const becomesLast = (image: string, shell: string, script: string): boolean =>
  (/(?:^|\/)bash$/.test(shell) || (/(?:^|\/)a?sh$/.test(shell) && otherShells.test(image))) &&
  !/[|(){}]|(?<!&)&(?!&)|\b(?:if|for|while|until|case)\b/.test(script);

function lastOf(script: string, only: boolean): Swallower | undefined {
  const last = script.split(/&&|;|\n/).findLast((command) => command.trim() !== '') ?? '';
  const runner = runners.exec(last.trim().split(/\s+/)[0] ?? '')?.[1];
  return runner === undefined ? undefined : { name: runner, only };
}
