import type { TestProject } from 'vitest/node';
import { install, isInstalled } from './install.js';
import { type ServiceName, services } from './list.js';
import type { RunningService, ServiceDefinition } from './service.js';

type Addresses = Partial<Record<ServiceName, string>>;

interface Started {
  readonly addresses: Addresses;
  readonly startable: readonly ServiceName[];
  stop(): Promise<void>;
}

/** Each project of a run loads this file for itself; the servers are shared, and `users` counts the projects. */
const shared: { [key: symbol]: { readonly started: Promise<Started>; users: number } | undefined } =
  globalThis;
const key = Symbol.for('lifesign.test.services');

/**
 * Installs and starts the shared servers once before the tests and stops them after. A server named by its
 * environment variable is used as it is. What cannot be had is skipped loudly, and fails the run under CI.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = (shared[key] ??= { started: startAll(), users: 0 });
  servers.users += 1;
  const { addresses, startable, stop } = await servers.started;
  project.provide('services', addresses);
  project.provide('startable', startable);
  return async () => {
    servers.users -= 1;
    if (servers.users > 0) return;
    delete shared[key];
    await stop();
  };
}

async function startAll(): Promise<Started> {
  const names: readonly ServiceName[] = Object.keys(services).filter(isServiceName);
  const addresses: Addresses = {};
  const running: RunningService[] = [];
  const stop = async () => {
    await Promise.all(running.map((service) => service.stop()));
  };

  try {
    await install(names.map((name) => services[name]));
  } catch (error) {
    console.warn(`The tests on real services lack some of them: ${String(error)}`);
  }
  const startable = names.filter((name) => isInstalled(services[name]));
  try {
    const outcomes = await Promise.allSettled(
      names.map(async (name) => {
        const address = process.env[services[name].variable];
        if (address !== undefined && address !== '') addresses[name] = address;
        else if (startable.includes(name) && !isOnlyOwn(name)) {
          const service = await services[name].start();
          running.push(service);
          addresses[name] = service.url;
        }
      }),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    const missing = names.filter(
      (name) => (addresses[name] === undefined && !isOnlyOwn(name)) || !startable.includes(name),
    );
    if (missing.length > 0) announce(missing);
  } catch (error) {
    await stop();
    throw error;
  }
  return { addresses, startable, stop };
}

function announce(missing: readonly ServiceName[]): void {
  const lines = missing.map((name) => {
    const { packages, variable } = services[name];
    return `  ${name}: install ${packages.join(' ')}, or set ${variable} for the tests that only need an address`;
  });
  const text = `Tests on these services are SKIPPED or reduced:\n${lines.join('\n')}`;
  if (process.env['CI'] === 'true') throw new Error(text);
  console.warn(`\n${'!'.repeat(72)}\n${text}\n${'!'.repeat(72)}\n`);
}

function isOnlyOwn(name: ServiceName): boolean {
  const service: ServiceDefinition = services[name];
  return service.onlyOwn === true;
}

function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(services, name);
}
