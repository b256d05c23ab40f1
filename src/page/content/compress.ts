import { host } from '../../core/runtime.js';

/** Texts that are worth it. */
const minBytes = 1000;

const zlib = () => host.getBuiltinModule?.('node:zlib');

/** Whether a client takes gzip, by its `Accept-Encoding`, and this runtime can make it. */
export function takesGzip(accepted: string): boolean {
  if (zlib() === undefined) return false;
  let all = false;
  for (const part of accepted.toLowerCase().split(',')) {
    const [name, weight = ''] = part.split(';', 2).map((word) => word.trim());
    const wanted = !/^q=0(\.0*)?$/.test(weight);
    if (name === 'gzip') return wanted;
    if (name === '*') all = wanted;
  }
  return all;
}

/** A text that is compressed once for all who take it so. */
export class Compressible {
  readonly text: string;
  #gzip: Promise<Uint8Array | undefined> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** As gzip, compressed outside of the event loop; undefined if it is too short to gain by it. */
  gzip(): Promise<Uint8Array | undefined> {
    this.#gzip ??= gzipped(this.text);
    return this.#gzip;
  }
}

async function gzipped(text: string): Promise<Uint8Array | undefined> {
  const lib = zlib();
  if (lib === undefined || text.length < minBytes) return undefined;
  return new Promise((resolve, reject) => {
    lib.gzip(text, (failed, bytes) => (failed === null ? resolve(bytes) : reject(failed)));
  });
}

/** The header of a gzip stream: the format, no name, no time. */
export const gzipHead: Uint8Array = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/**
 * The text as blocks for the middle of a gzip stream. They end on a whole octet and point to nothing before them, so that
 * a chunk that was compressed once goes into every stream.
 */
export async function deflated(text: string): Promise<Uint8Array> {
  const lib = zlib();
  if (lib === undefined) throw new Error('This runtime has no node:zlib');
  const options = { finishFlush: lib.constants.Z_FULL_FLUSH };
  return new Promise((resolve, reject) => {
    lib.deflateRaw(text, options, (failed, bytes) => (failed === null ? resolve(bytes) : reject(failed)));
  });
}
