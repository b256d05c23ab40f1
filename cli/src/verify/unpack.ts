import { gunzipSync } from 'node:zlib';
import { type Exchange, maxBytes } from '../http/exchange.js';
import { quoted } from './rule.js';

/** A decompressed body, or the problem with its encoding. */
export type Unpacked = { readonly body: Buffer } | { readonly wrong: string };

/** The body of an answer to a client that accepts gzip. */
export function unpack({ headers, body }: Exchange): Unpacked {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') {
    return looksGzipped(body) ? { wrong: 'the body is gzip but content-encoding does not say so' } : { body };
  }
  if (encoding !== 'gzip') {
    return { wrong: `content-encoding is ${quoted(encoding)} where gzip was accepted` };
  }
  try {
    return { body: gunzipSync(body, { maxOutputLength: maxBytes }) };
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE'
      ? { wrong: `the gzip body has more than ${maxBytes} bytes when unpacked` }
      : { wrong: 'content-encoding is "gzip" but the body is not' };
  }
}

function looksGzipped(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}
