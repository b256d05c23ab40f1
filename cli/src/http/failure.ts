import { textOf } from '../../../src/core/scrub/scrub.js';

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EPROTO: 'the server does not speak TLS on that port; try http://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS on that port; try http://',
};

/** Why there was no response: a sentence for what a code alone does not tell, with the code. */
export function failureOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const sentence = sentences[code];
  return sentence === undefined ? textOf(error) : `${sentence} (${textOf(error)})`;
}
