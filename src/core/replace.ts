import { shared } from './shared.js';
import { isObject } from './objects.js';

/** The member that ours replaced. */
interface Layer {
  readonly before: PropertyDescriptor | undefined;
  over: boolean;
}

/** By the function or object that we put there; the same for all copies of the package, which replace the same members. */
const layers = /* @__PURE__ */ shared('layers', () => new WeakMap<object, Layer>());

/**
 * Replaces a member of an object that is not ours. The function that it returns gives the old one back, in whatever order several
 * are given back. A member that other code has replaced since stays: theirs calls ours, which must do nothing then.
 */
export function replace<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  member: Owner[Name] & object,
): () => void {
  const layer: Layer = { before: Object.getOwnPropertyDescriptor(owner, name), over: false };
  owner[name] = member;
  layers.set(member, layer);
  return () => {
    layer.over = true;
    giveBack(owner, name);
  };
}

function giveBack(owner: object, name: PropertyKey): void {
  for (let layer = top(owner, name); layer?.over === true; layer = top(owner, name)) {
    if (layer.before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, layer.before);
  }
}

function top(owner: object, name: PropertyKey): Layer | undefined {
  const member: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
  return typeof member === 'function' || isObject(member) ? layers.get(member) : undefined;
}
