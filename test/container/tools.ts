import { existsSync } from 'node:fs';
import { install, isInstalled } from '../services/install.js';
import type { ServiceDefinition } from '../services/service.js';

/** Programs that the tests here run; none of them is a server they share. */
const program = (
  name: string,
  commands: readonly string[],
  packages: readonly string[],
): ServiceDefinition => ({
  name,
  variable: '',
  commands,
  directories: ['/usr/sbin', '/sbin'],
  packages,
  start: () => Promise.reject(new Error(`${name} is started by its tests`)),
});

export const tools = {
  // What builds and runs an image without a daemon, and a shell for it.
  containers: program(
    'containers',
    ['buildah', 'podman', 'runc', 'busybox'],
    ['buildah', 'podman', 'runc', 'busybox-static'],
  ),
  haproxy: program('haproxy', ['haproxy'], ['haproxy']),
  shells: program('shells', ['zsh', 'fish'], ['zsh', 'fish']),
  nginx: program('nginx', ['nginx'], ['nginx-light']),
  systemd: program('systemd', ['systemd-analyze'], ['systemd']),
};

/** Installs the tools where that is possible; where it is not, tests are skipped loudly and fail under CI. */
export default async function setup(): Promise<void> {
  await install(Object.values(tools)).catch((error: unknown) => console.warn(String(error)));
  const missing = Object.values(tools).filter((tool) => !isInstalled(tool));
  if (missing.length === 0 && canContain()) return;
  const packages = missing.flatMap(({ packages }) => packages).join(' ');
  const text = `Tests of containers and deployments are SKIPPED. They need root on Linux and: ${packages}`;
  if (process.env['CI'] === 'true') throw new Error(text);
  console.warn(`\n${'!'.repeat(72)}\n${text}\n${'!'.repeat(72)}\n`);
}

export function has(tool: keyof typeof tools): boolean {
  return isInstalled(tools[tool]) && (tool !== 'containers' || canContain());
}

function canContain(): boolean {
  return existsSync('/proc/self') && process.getuid?.() === 0;
}
