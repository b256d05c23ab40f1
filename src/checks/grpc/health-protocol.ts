// The two messages of grpc.health.v1 as Protocol Buffers write them. They are this small, so no .proto file is needed.

/** The path of the method. */
export const healthCheck = '/grpc.health.v1.Health/Check';

const statuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

/** `HealthCheckRequest { string service = 1; }`; an empty name asks for the server as a whole. */
export function writeRequest(service: string): Buffer {
  const name = Buffer.from(service, 'utf8');
  return name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
}

/** The name of the status in `HealthCheckResponse { ServingStatus status = 1; }`; undefined if it is not one. */
export function readStatus(bytes: Uint8Array): string | undefined {
  const reader = new Reader(bytes);
  let status = 0;
  while (reader.hasMore) {
    const tag = reader.varint();
    if (tag === 0x08) status = reader.varint();
    else reader.skip(tag & 7);
  }
  return reader.isBroken ? undefined : statuses[status];
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** Reads the fields of a message, which may have been written by a newer server or by something else altogether. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  isBroken = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return !this.isBroken && this.#at < this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let digit = 0; digit < 10; digit += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) break;
      this.#at += 1;
      // Not by shifts: those end at 32 bits.
      value += (byte & 0x7f) * 2 ** (7 * digit);
      if (byte < 0x80) return value;
    }
    this.isBroken = true;
    return 0;
  }

  /** Passes over a field by its wire type. */
  skip(type: number): void {
    if (type === 0) this.varint();
    else if (type === 1) this.#pass(8);
    else if (type === 2) this.#pass(this.varint());
    else if (type === 5) this.#pass(4);
    else this.isBroken = true;
  }

  #pass(length: number): void {
    this.#at += length;
    if (this.#at > this.#bytes.length) this.isBroken = true;
  }
}
