/** The version fields that a CI provider supplies. */
export interface Identity {
  readonly commit?: string | undefined;
  readonly version?: string | undefined;
  readonly source?: string | undefined;
  /** A link without credentials: its query and fragment have only parts that we added. */
  readonly build?: string | undefined;
}

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A CI provider: the variables by which it is recognised, and the fields they give. */
export interface Provider {
  readonly name: string;
  readonly runs: (env: Environment) => boolean;
  readonly identity: (env: Environment) => Identity;
}

export function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** Both parts with the separator between them; undefined if one is missing: half a URL is useless. */
export function join(
  separator: string,
  first: string | undefined,
  second: string | undefined,
): string | undefined {
  return isSet(first) && isSet(second) ? `${first}${separator}${second}` : undefined;
}

export function encode(value: string | undefined): string | undefined {
  return value && encodeURIComponent(value);
}
