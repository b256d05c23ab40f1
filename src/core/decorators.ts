import { decoratorMisplaced } from './errors.js';

/** Whether a function was called as a standard decorator: its second argument says so. */
export function isDecoratorContext(value: unknown): value is ClassMemberDecoratorContext {
  return typeof value === 'object' && value !== null && 'kind' in value && 'addInitializer' in value;
}

/** Hands the decorated method, bound to its instance or class, to `use` when that is made. */
export function onMethod(
  decorator: string,
  method: unknown,
  context: ClassMemberDecoratorContext,
  use: (bound: unknown) => void,
): void {
  if (context.kind !== 'method') throw decoratorMisplaced(decorator, context.kind);
  context.addInitializer(function (this: unknown) {
    use(typeof method === 'function' ? method.bind(this) : method);
  });
}
