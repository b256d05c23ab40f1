import type { Duration } from '../../core/options/duration.js';

interface CertificateTimes {
  /** How long before the expiry the check warns. Default 21 days, if `error` is not set either. */
  readonly warn?: Duration | undefined;
  /** How long before the expiry the check fails. Default 7 days, if `warn` is not set either. */
  readonly error?: Duration | undefined;
}

interface CertificateOfHost extends CertificateTimes {
  /** A host that serves TLS: the certificate must be trusted, and valid for its name. */
  readonly host: string;
  /** Default 443. */
  readonly port?: number | undefined;
  /** The name to ask for, if it is not `host`. */
  readonly servername?: string | undefined;
  /** Certificates to trust instead of those of Node. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
}

interface CertificateOfFile extends CertificateTimes {
  /** A PEM file, read with each run: of a chain, the certificate that expires first counts. */
  readonly file: string;
}

interface CertificateOfServer extends CertificateTimes {
  /** A server of `node:tls`, `node:https` or `node:http2` in this process. */
  readonly server: TlsServer;
  /** The name to ask for, if the server has several certificates. */
  readonly servername?: string | undefined;
}

/** The part of a Node TLS server that the check uses. */
export interface TlsServer {
  address(): string | { readonly address: string; readonly port: number } | null;
  setSecureContext(...given: never): unknown;
}

/** Options of `checks.certificate`. */
export type CertificateOptions = CertificateOfHost | CertificateOfFile | CertificateOfServer;

/** The options, whichever they are. */
export type EveryOption = Partial<CertificateOfHost & CertificateOfFile & CertificateOfServer>;
