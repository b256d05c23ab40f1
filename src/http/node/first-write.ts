/** The part of a connection that is used if it is written to without a response. */
export interface Connection {
  write(...args: readonly unknown[]): unknown;
  end(...args: readonly unknown[]): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Calls `answered` once: with the status code of the first bytes that are written from here on, or with undefined when
 * there is none in them or the connection closes without any.
 */
export function onFirstWrite(connection: Connection, answered: (code: number | undefined) => void): void {
  let open = true;
  const once = (first: unknown) => {
    if (!open) return;
    open = false;
    for (const restore of watched) restore();
    answered(statusCodeOf(first));
  };
  const watched = [watch(connection, 'write', once), watch(connection, 'end', once)];
  connection.once('close', () => once(undefined));
}

/** Calls back with the first argument of each call; the returned function restores the connection. */
function watch(connection: Connection, name: 'write' | 'end', called: (first: unknown) => void): () => void {
  const own = Object.hasOwn(connection, name);
  const original = connection[name];
  const watching: Connection['write'] = (...args) => {
    called(args[0]);
    return Reflect.apply(original, connection, args);
  };
  connection[name] = watching;
  return () => {
    // Other code may have wrapped it since.
    if (connection[name] !== watching) return;
    if (own) connection[name] = original;
    else Reflect.deleteProperty(connection, name);
  };
}

function statusCodeOf(bytes: unknown): number | undefined {
  const text = bytes instanceof Uint8Array ? new TextDecoder().decode(bytes.subarray(0, 20)) : bytes;
  const code = typeof text === 'string' ? /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}
