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
export function swallowerOf(shell: boolean, words: readonly string[]): Swallower | undefined {
  const [first = '', ...rest] = words;
  const only = !/[;&|\n]/.test(words.join(' '));
  if (shell) {
    // A shell that becomes the application is out of the way.
    const line = first.trim();
    if (/^exec\s/.test(line)) return swallowerOf(false, line.split(/\s+/).slice(1));
    const becomes = becomesIn(line);
    if (becomes.length > 0) return becomes.find((each) => each !== undefined);
    return {
      name: `A shell (the form without brackets: ${line.length > 60 ? `${line.slice(0, 60)}…` : line})`,
      only,
    };
  }
  if (init.test(first)) {
    const inner = rest.filter((word) => !word.startsWith('-'));
    return rest.includes('-g') ? undefined : swallowerOf(false, inner);
  }
  // By convention such a script ends with exec "$@".
  if (entrypoint.test(first) && rest.length > 0) return swallowerOf(false, rest);
  const [, runner] = runners.exec(first) ?? [];
  if (runner !== undefined) return { name: runner, only };
  if (!shells.test(first)) return undefined;
  const flag = rest.findIndex((word) => /^-\w*c$/.test(word));
  const script = rest[flag + 1] ?? '';
  // A file may end in exec, or pass signals on; a line shows it.
  if (flag === -1 || /(?:^|[;&\n])\s{0,100}trap\s/.test(script)) return undefined;
  const becomes = becomesIn(script);
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
