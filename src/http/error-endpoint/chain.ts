type Next = () => Promise<unknown>;
type Middleware<Context> = (context: Context, next: Next) => unknown;

/**
 * A middleware that calls the next one as usual, and throws if it would answer: so the error passes middleware that catches errors.
 * An error that it throws before it calls the next one, such as a refusal, gives way to the error too.
 */
export function throwingInstead<Context>(middleware: Middleware<Context>, error: Error): Middleware<Context> {
  // Without `next` it can only answer.
  if (middleware.length === 1) return () => Promise.reject(error);
  return async (context, next) => {
    let wentOn = false;
    try {
      const result = await middleware(context, () => {
        wentOn = true;
        return next();
      });
      if (wentOn) return result;
    } catch (thrown) {
      if (wentOn) throw thrown;
    }
    throw error;
  };
}

/** All of them, one around the next, and the error after the last. */
export function throwingChain<Context>(
  all: readonly Middleware<Context>[],
  error: Error,
): (context: Context) => Promise<unknown> {
  return (context) => {
    const run = async (index: number): Promise<unknown> => {
      const middleware = all[index];
      if (middleware === undefined) throw error;
      return throwingInstead(middleware, error)(context, () => run(index + 1));
    };
    return run(0);
  };
}
