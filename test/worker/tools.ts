import { install, isInstalled } from '../services/install.js';
import type { ServiceDefinition } from '../services/service.js';

/** What sends a message of sd_notify, and what owns the socket of a test. */
export const tools: readonly ServiceDefinition[] = [
  { name: 'systemd', commands: ['systemd-notify'], packages: ['systemd'] },
  { name: 'python', commands: ['python3'], packages: ['python3'] },
].map((tool) => ({
  ...tool,
  variable: '',
  start: () => Promise.reject(new Error(`${tool.name} is started by its tests`)),
}));

export const canNotify = (): boolean => tools.every(isInstalled);

/** Installs them where that is possible; where it is not, tests are skipped loudly and fail under CI. */
export default async function setup(): Promise<void> {
  await install(tools).catch((error: unknown) => console.warn(String(error)));
  if (canNotify()) return;
  const packages = tools.flatMap((tool) => (isInstalled(tool) ? [] : tool.packages)).join(' ');
  const text = `Tests of sd_notify are SKIPPED. They need: ${packages}`;
  if (process.env['CI'] === 'true') throw new Error(text);
  console.warn(`\n${'!'.repeat(72)}\n${text}\n${'!'.repeat(72)}\n`);
}
