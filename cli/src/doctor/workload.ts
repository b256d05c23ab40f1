/** The kinds of file that are understood. */
export type Format = 'kubernetes' | 'cloud-run' | 'compose' | 'ecs' | 'nomad' | 'dockerfile';

/** The effect of a failing probe: restart, take out of rotation, or hold back the other two. */
export type Role = 'liveness' | 'readiness' | 'startup';

/** A probe of the platform. Times are in milliseconds. */
export interface Probe {
  readonly role: Role;
  readonly line: number;
  /** How it sends its request; undefined if only a template knows. */
  readonly kind?: 'http' | 'tcp' | 'grpc' | 'exec';
  /** Of an HTTP request, from any client; undefined for a probe of another kind. */
  readonly path?: string | undefined;
  /** Another machine that gets the request. */
  readonly host?: string;
  /** The name that a gRPC probe requests. */
  readonly service?: string | undefined;
  /** A number or a name, as it is written; undefined if it is not given. */
  readonly port?: string | undefined;
  /** Whether path and port are all that it says: another probe can be written from them. */
  readonly plain?: boolean;
  /** The arguments of a command that runs in the container. */
  readonly command?: readonly string[];
  readonly timeout: number;
  /** Between two requests. */
  readonly period?: number;
  /** Failures in a row until something happens. */
  readonly threshold?: number;
  readonly initialDelay?: number | undefined;
  /** Successes in a row until a failed probe passes again. */
  readonly successes?: number | undefined;
  /** Between two requests while it starts, as Docker has it. */
  readonly startInterval?: number | undefined;
  /** Whether a shell runs the command. */
  readonly shell?: boolean;
}

/** How the process is started. */
export interface Start {
  readonly line: number;
  /** Whether a shell starts it, and gets the signals. */
  readonly shell: boolean;
  readonly words: readonly string[];
}

/** One container, from a file of any kind. */
export interface Workload {
  readonly format: Format;
  readonly file: string;
  readonly line: number;
  /** For people: `Deployment shop, container web`. */
  readonly name: string;
  readonly image?: string | undefined;
  readonly probes: readonly Probe[];
  /** By their names; those without one by their numbers. */
  readonly ports: ReadonlyMap<string, string>;
  /** Ports of the host that lead to the container's. */
  readonly published?: ReadonlySet<string>;
  /** Values that come from elsewhere are undefined. */
  readonly env: ReadonlyMap<string, string | undefined>;
  /** Whether more variables come from elsewhere: from a ConfigMap, or a file. */
  readonly moreEnv?: boolean;
  /** How long the platform waits after SIGTERM: as written, or as it is by default. */
  readonly grace?: { readonly ms: number; readonly line?: number | undefined } | undefined;
  /** Whether something runs before SIGTERM. */
  readonly preStop?: boolean;
  /** How long it sleeps, in milliseconds. */
  readonly preStopSleep?: number;
  /** False for workloads that end by themselves: a job, a test. */
  readonly lasting?: boolean;
  /** Whether it belongs to the node it runs on: it has its network or its privileges. */
  readonly agent?: boolean;
  /** Of its pod. */
  readonly labels?: ReadonlyMap<string, string>;
  /** The ports of all containers of its pod. */
  readonly podPorts?: ReadonlyMap<string, string>;
  /** The processors it may take. */
  readonly cpu?: number;
  /** The memory it may take, in bytes. */
  readonly memory?: { readonly bytes: number; readonly line: number } | undefined;
  /** Services that have to be there before it. */
  readonly needs?: readonly Need[];
  /** Whether another service waits until it is healthy. */
  readonly awaited?: boolean;
  /** Line of a service that is registered without any check. */
  readonly unchecked?: number;
  /** Whether an init process hands on signals. */
  readonly init?: boolean;
  /** `explicit` if a line of a Dockerfile names it. */
  readonly user?: { readonly text: string; readonly line: number; readonly explicit?: boolean } | undefined;
  readonly start?: Start | undefined;
  /** How the build of an image handles version.json; undefined if no image is built. */
  readonly build?: Build;
  /** Programs that the build adds to the image. */
  readonly tools?: readonly string[];
}

/** A service that another one depends on. */
export interface Need {
  readonly name: string;
  readonly line: number;
  /** undefined if it is only started before. */
  readonly condition?: string | undefined;
  readonly image?: string | undefined;
  /** Whether its health check is turned off. */
  readonly off?: boolean;
  /** Whether its health is known. */
  readonly checked: boolean;
}

export interface Build {
  /** Whether an instruction runs Node or installs its packages. */
  readonly node: boolean;
  /** Whether an instruction names lifesign. */
  readonly lifesign: boolean;
  /** Whether a program of the image changes to another user. */
  readonly dropsRoot: boolean;
  /** Lines that make or copy version.json, with the directory it is put in if that is known. */
  readonly versionFiles: readonly { readonly line: number; readonly directory?: string }[];
  /** The directory in which the service runs; undefined if a variable decides. */
  readonly workdir: string | undefined;
  readonly copiesSource: boolean;
}
