import { isObject } from '../core/objects.js';
import { registered } from '../core/request/trace.js';
import { attempt } from '../core/runtime.js';
import { readIdentity } from './identity.js';

/** Adds the identity of the build to the resource of an SDK that has started; what the resource has already stays. Never rejects. */
export async function identifyResources(places?: Parameters<typeof readIdentity>[0]): Promise<void> {
  const identity = Object.entries(await readIdentity(places));
  // The objects are not ours, and another SDK may have others.
  attempt(() => {
    for (const resource of resources()) add(resource, identity);
  });
}

/** Those of the providers of traces and metrics: for NodeSDK, it is the same one. */
function resources(): ReadonlySet<unknown> {
  const { trace, metrics } = membersOf(registered());
  const { getDelegate } = membersOf(trace);
  const tracers = typeof getDelegate === 'function' ? Reflect.apply(getDelegate, trace, []) : trace;
  return new Set([
    membersOf(tracers)['_resource'],
    membersOf(membersOf(metrics)['_sharedState'])['resource'],
  ]);
}

/** The SDK takes the first value of a name in its list, and keeps the attributes that it made of the list once none is pending. */
function add(resource: unknown, identity: readonly (readonly [string, string])[]): void {
  const { getRawAttributes } = membersOf(resource);
  if (typeof getRawAttributes !== 'function') return;
  Reflect.apply(getRawAttributes, resource, []).push(...identity);
  if (membersOf(resource)['asyncAttributesPending'] === true) return;
  const attributes = membersOf(membersOf(resource)['attributes']);
  for (const [name, value] of identity) attributes[name] ??= value;
}

function membersOf(value: unknown): Record<string, unknown> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- an object has members, of which nothing is known
  return (isObject(value) ? value : {}) as Record<string, unknown>;
}
