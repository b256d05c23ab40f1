import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './process.js';
import type { ServiceDefinition } from './service.js';

/** The path of one of a service's programs. */
export function locate(service: ServiceDefinition, command: string): string {
  const path = find(service, command);
  if (path === undefined)
    throw new Error(`${command} is not installed; Debian: ${service.packages.join(' ')}`);
  return path;
}

export function isInstalled(service: ServiceDefinition): boolean {
  return service.commands.every((command) => find(service, command) !== undefined);
}

function find(service: ServiceDefinition, command: string): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(':'), ...(service.directories ?? [])];
  return directories.map((directory) => join(directory, command)).find((path) => existsSync(path));
}

/** Installs what is missing where that is possible: as root on a Debian. Daemons are not started by it. */
export async function install(services: readonly ServiceDefinition[]): Promise<void> {
  const packages = services.filter((service) => !isInstalled(service)).flatMap((service) => service.packages);
  if (packages.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${packages.join(' ')} for the tests on real services`);
  await mkdir('/etc/postgresql-common', { recursive: true });
  await writeFile('/etc/postgresql-common/createcluster.conf', 'create_main_cluster = false\n');
  // Keeps the daemons from being started, and is not left behind.
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await runProgram('apt-get', ['update']);
    // Another run may be installing too.
    const options = ['-o', 'DPkg::Lock::Timeout=300', '-y', '--no-install-recommends'];
    await runProgram('apt-get', ['install', ...options, ...packages]);
  } finally {
    if (isOurs) await rm(policy, { force: true });
  }
}
