import type { Module } from './modules.js';

/** The port and protocol of a service, for the files beside the code. */
export interface Serving {
  /** The port without `PORT` in its environment, if the code says it. */
  readonly port: number | undefined;
  /** Whether it answers requests over plain HTTP/1.1. */
  readonly isPlain: boolean;
}

export const servingOf = (all: readonly Module[]): Serving => ({
  port: patterns.flatMap((pattern) => all.flatMap((module) => portsIn(module, pattern)))[0],
  isPlain: !all.some(({ text }) => secure.test(text)),
});

/** Servers of https and http2, and `fastify({ https: … })`. */
const secure =
  /\bcreateSecureServer\s*\(|\bhttp(?:s|2)['"]?\)?\.create\w*Server\s*\(|\bcreateServer\b[^;]*?(?:from\s*|require\()['"](?:node:)?http(?:s|2)['"]|\bhttp(?:s|2)\s*:\s*(?!false)[{\w]/;

/** The likeliest first: `PORT || 3000`, `PORT ? … : 3000`, `{ PORT = 3000 }`, `PORT: z.number().default(3000)`, `listen(3000)` and `serve({ port: 3000 })`. */
const patterns = [
  String.raw`\bPORT\b[^\n;{}]*?(?:\|\||\?\?)\s*`,
  String.raw`\bPORT\b[^\n;{}]*?\?[^\n;?]*?:\s*`,
  String.raw`[{,]\s*(?:PORT|port)\s*=\s*`,
  String.raw`\b\w*(?:PORT|port)\w*['"]?\s*:[^\n]*?\.default\(\s*`,
  String.raw`\.listen\(\s*`,
  String.raw`\b(?:listen|serve)\(\s*\{[^}]*?\bport:\s*`,
];

/** The numbers that a pattern finds, also by the name of a constant. */
function portsIn({ text }: Module, pattern: string): number[] {
  return [...text.matchAll(new RegExp(`${pattern}['"]?([\\w$]+)`, 'g'))].flatMap(([, found = '']) => {
    const name = found.replaceAll('$', '\\$');
    const declared = new RegExp(String.raw`\b(?:const|let|var)\s+${name}\b[^=\n]*=\s*['"]?(\d+)`);
    const port = Number(/^\d+$/.test(found) ? found : declared.exec(text)?.[1]);
    return port > 0 && port < 65_536 ? [port] : [];
  });
}
