/** Characters that the log keeps of a path or a query: clients send up to 16 KB. */
export const maxLoggedLength = 4096;
/** Characters of a target that one character may take: three octets of three. */
const perCharacter = 9;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const percent = 37;

/**
 * Percent-decoding that takes anything: bytes that are not UTF-8 become a replacement character.
 * A text of more than 4096 characters is cut there and ends with `…`.
 */
export function decode(text: string): string {
  if (!text.includes('%')) return cut(text);
  // All of it at once: a decoder for each escaped run would take 50 times as long.
  const octets = encoder.encode(text.slice(0, perCharacter * (maxLoggedLength + 1)));
  let length = 0;
  for (let index = 0; index < octets.length; index += 1) {
    const octet = octets[index] ?? 0;
    const escaped = octet === percent ? digit(octets[index + 1]) * 16 + digit(octets[index + 2]) : -1;
    octets[length] = escaped < 0 ? octet : escaped;
    if (escaped >= 0) index += 2;
    length += 1;
  }
  return cut(decoder.decode(octets.subarray(0, length)));
}

/** A hexadecimal digit's value; below -255 for anything else, so that no sum with it is 0 or more. */
function digit(code = 0): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -256;
}

function cut(text: string): string {
  if (text.length <= maxLoggedLength) return text;
  // Not in the middle of a pair.
  const whole =
    (text.charCodeAt(maxLoggedLength - 1) & 0xfc00) === 0xd800 ? maxLoggedLength - 1 : maxLoggedLength;
  return `${text.slice(0, whole)}…`;
}
