import { type Add, registerCheck, registerVersion } from './decorators.js';
import { nameOf } from './objects.js';

/** `check` of a Health; all but its most common forms are loaded when they are used. */
export function addCheck(args: readonly unknown[], add: Add): unknown {
  const [first, second] = args;
  if (args.length === 1 && typeof first === 'function') {
    add(nameOf(first), first);
    return first;
  }
  if (args.length === 2 && typeof first === 'string' && typeof second === 'function') {
    add(first, second);
    return second;
  }
  return registerCheck(args, add);
}

/** `versionCallback` of a Health, as above. */
export function setVersion(args: readonly unknown[], set: (callback: unknown) => void): unknown {
  const [first] = args;
  if (args.length !== 1 || typeof first !== 'function') return registerVersion(args, set);
  set(first);
  return first;
}
