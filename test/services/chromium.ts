import type { TestProject } from 'vitest/node';
import { install, isInstalled, locate } from './install.js';

export const chromium = {
  name: 'chromium',
  variable: 'CHROMIUM_PATH',
  commands: ['chromium'],
  packages: ['chromium', 'fonts-dejavu-core'],
  start: () => Promise.reject(new Error('The tests launch the browser themselves')),
};

declare module 'vitest' {
  export interface ProvidedContext {
    /** The browser of the tests that need one; undefined where there is none. */
    chromium: string | undefined;
  }
}

/** Finds or installs the browser; `CHROMIUM_PATH` names another one. Under CI a missing one fails the run. */
export default async function setup(project: TestProject): Promise<void> {
  const given = process.env[chromium.variable];
  if (given === undefined) await install([chromium]).catch((error: unknown) => console.warn(String(error)));
  const path = given ?? (isInstalled(chromium) ? locate(chromium, 'chromium') : undefined);
  if (path === undefined) {
    const text = `Tests in a browser are SKIPPED: install ${chromium.packages.join(' ')}, or set ${chromium.variable}`;
    if (process.env['CI'] === 'true') throw new Error(text);
    console.warn(`\n${'!'.repeat(72)}\n${text}\n${'!'.repeat(72)}\n`);
  }
  project.provide('chromium', path);
}
