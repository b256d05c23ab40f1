import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { install, isInstalled } from '../services/install.js';
import type { ServiceDefinition } from '../services/service.js';

const faketime: ServiceDefinition = {
  name: 'faketime',
  variable: '',
  commands: ['faketime'],
  packages: ['faketime'],
  start: () => Promise.reject(new Error('faketime is a library')),
};

/**
 * The environment of a process whose wall clock is set by writing an offset such as `-2d` to `file`;
 * undefined where the library is not to be had. Its monotonic clock goes on, as that of a machine does.
 */
export async function fakeClock(file: string): Promise<Readonly<Record<string, string>> | undefined> {
  await install([faketime]);
  const directories = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const library = directories
    .map((directory) => join('/usr/lib', directory, 'faketime/libfaketime.so.1'))
    .find((path) => existsSync(path));
  if (library === undefined || !isInstalled(faketime)) {
    if (process.env['CI'] === 'true') throw new Error('faketime is not installed; Debian: faketime');
    return undefined;
  }
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}
