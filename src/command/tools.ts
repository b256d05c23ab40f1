import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toolMissing } from './errors.js';
import type { Io } from './io.js';

/** The commands of lifesign-cli; its own list is compared with this one by a test. */
export const tools: readonly string[] = ['verify', 'wait', 'doctor', 'init', 'fleet', 'explain'];

/** Runs a command of lifesign-cli if that is installed: in the project, or beside this package. */
export function runTool(args: readonly string[], io: Io): Promise<number> | undefined {
  const [name = ''] = args;
  return tools.includes(name) ? runInstalled(name, args, io) : undefined;
}

async function runInstalled(name: string, args: readonly string[], io: Io): Promise<number> {
  const file = [join(io.cwd, 'package.json'), import.meta.url].map(resolveFrom).find(Boolean);
  if (file === undefined) throw toolMissing(name);
  const { main }: { main: (args: readonly string[]) => Promise<void> } = await import(
    pathToFileURL(file).href
  );
  await main(args);
  return Number(process.exitCode);
}

function resolveFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve('lifesign-cli/main');
  } catch {
    return undefined;
  }
}
