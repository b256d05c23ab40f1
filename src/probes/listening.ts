import { host } from '../core/runtime.js';

/** Whether a server of this process listens: our own ports keep no process alive and are not among these. */
export function listensAnywhere(): boolean {
  const cluster: object = host.getBuiltinModule?.('node:cluster') ?? {};
  // The server of a worker is that of its primary process.
  if (Reflect.get(cluster, 'isWorker') === true) return true;
  // `getActiveResourcesInfo` has one name for a server on a socket of the file system and for the pipe of standard output.
  const list: unknown = Reflect.get(host, '_getActiveHandles');
  const handles: unknown = typeof list === 'function' ? list.call(host) : undefined;
  // Only Node shows it.
  if (!Array.isArray(handles) || 'Bun' in globalThis || 'Deno' in globalThis) return true;
  return handles.some((handle: object) => Reflect.get(handle, 'listening') === true);
}
