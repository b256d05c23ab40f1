/** A server that a test may use, as the suite knows it before it runs. */
export interface ServiceDefinition {
  readonly name: string;
  /** Environment variable with the address of a server to use instead of starting one. */
  readonly variable: string;
  /** Programs that must be there, searched on PATH and in `directories`. */
  readonly commands: readonly string[];
  /** Where a package puts programs that are not on PATH. */
  readonly directories?: readonly string[];
  /** Debian packages that bring them. */
  readonly packages: readonly string[];
  /** Tests start their own where they need one: none is started for all of them. */
  readonly onlyOwn?: true;
  /** Starts a server of its own on a free loopback port in a temporary directory. */
  start(options?: StartOptions): Promise<RunningService>;
}

export interface StartOptions {
  /** Further arguments of the server. */
  readonly args?: readonly string[];
}

/** A server that this suite started and may freeze, kill and stop. */
export interface RunningService {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Every process of the server stops answering and keeps its connections. */
  freeze(): void;
  thaw(): void;
  /** Kills the server as a crash does; `restart` brings it back with its data on the same port. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}
