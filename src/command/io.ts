import { styleText } from 'node:util';

/** A stream to write to; process.stdout is one. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** The size of a terminal. */
  readonly columns?: number;
  readonly rows?: number;
}

/** The environment of a command: tests pass their own. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<string | Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export type Style = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

/** Colours a text for a terminal; leaves it alone in a pipe, a file, or under NO_COLOR. */
export function painter(io: Io, output: Output): (style: Style, text: string) => string {
  const colourful = output.isTTY === true && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
  return (style, text) => (colourful ? styleText(style, text, { validateStream: false }) : text);
}

const second = 1000;

/** A line on a terminal that says how far we are, once that takes longer than a second. */
export function progress(io: Io, total: number): { step(what: string): void; end(): void } {
  const { stderr } = io;
  const started = performance.now();
  let done = 0;
  let shown = false;
  const clear = () => {
    if (shown) stderr.write('\r\u001B[K');
    shown = false;
  };
  return {
    step(what) {
      done += 1;
      if (stderr.isTTY !== true || performance.now() - started < second) return;
      clear();
      stderr.write(`${done}/${total} ${what}`);
      shown = true;
    },
    end: clear,
  };
}
