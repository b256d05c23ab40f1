import { optionInvalid } from '../core/options/errors.js';

/** A Health without a server of its own cannot open another one beside it. */
export function refuseHealthPort(port: number | undefined): void {
  if (port === undefined) return;
  throw optionInvalid(
    'Option healthPort',
    port,
    'omitted here, because lifesign has no access to the server',
    'Use lifesign/node with your own server on that port.',
  );
}
