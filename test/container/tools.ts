import { existsSync } from 'node:fs';
import { install, isInstalled } from '../services/install.js';

/** What builds and runs an image without a daemon, and a shell for it. */
const tools = {
  name: 'containers',
  variable: '',
  commands: ['buildah', 'podman', 'runc', 'busybox'],
  directories: ['/usr/sbin', '/sbin'],
  packages: ['buildah', 'podman', 'runc', 'busybox-static'],
  start: () => Promise.reject(new Error('These are programs, not a server')),
};

/** Installs the tools where that is possible; where it is not, the tests are skipped loudly and fail under CI. */
export default async function setup(): Promise<void> {
  await install([tools]).catch((error: unknown) => console.warn(String(error)));
  if (hasTools()) return;
  const text = `The container tests are SKIPPED: install ${tools.packages.join(' ')} and run them as root on Linux.`;
  if (process.env['CI'] === 'true') throw new Error(text);
  console.warn(`\n${'!'.repeat(72)}\n${text}\n${'!'.repeat(72)}\n`);
}

export function hasTools(): boolean {
  return existsSync('/proc/self') && process.getuid?.() === 0 && isInstalled(tools);
}
