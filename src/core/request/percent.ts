/** Characters that the log keeps of a path or a query: clients send up to 16 KB. */
export const maxLoggedLength = 4096;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Percent-decoding that takes anything: bytes that are not UTF-8 become a replacement character.
 * A text of more than 4096 characters is cut there and ends with `…`.
 */
export function decode(text: string): string {
  if (!text.includes('%')) return cut(text);
  try {
    return cut(decodeURIComponent(text));
  } catch {
    return cut(text.replace(/(?:%[\da-f]{2})+/gi, decodeRun));
  }
}

function decodeRun(run: string): string {
  return decoder.decode(Uint8Array.from(run.slice(1).split('%'), (octet) => Number.parseInt(octet, 16)));
}

function cut(text: string): string {
  if (text.length <= maxLoggedLength) return text;
  // Not in the middle of a pair.
  const half = (text.charCodeAt(maxLoggedLength - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, half ? maxLoggedLength - 1 : maxLoggedLength)}…`;
}
