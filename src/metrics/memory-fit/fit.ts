/** The limits of V8's heap and of the container, in bytes. */
export interface Limits {
  readonly heap: number;
  readonly container: number;
}

/** A heap limit that does not fit the container: the line for the log. */
export interface Misfit {
  readonly kind: 'above' | 'below';
  readonly msg: string;
}

/** Share of the container's memory that the heap should get: the rest is for buffers, code, threads and native memory. */
const share = 0.75;
/** Shares of the container's memory above and below which the heap limit does not fit. */
const maxShare = 0.95;
const least = 0.4;

/** Compares V8's heap limit with the container, and suggests a flag if it does not fit. */
export function misfitOf({ heap, container }: Limits): Misfit | undefined {
  const ratio = heap / container;
  if (ratio <= maxShare && ratio >= least) return undefined;
  const flag = `--max-old-space-size=${Math.max(16, Math.floor((container * share) / 2 ** 20))}`;
  const limits = `the heap limit of V8 is ${mebibytes(heap)}, the memory limit of the container ${mebibytes(container)}`;
  const fix = `Start Node with ${flag}, or set NODE_OPTIONS=${flag}.`;
  return ratio > maxShare
    ? {
        kind: 'above',
        msg: `The heap may grow beyond the container: ${limits}. The kernel would kill the process (exit code 137) before V8 collects enough garbage. ${fix}`,
      }
    : { kind: 'below', msg: `The heap cannot use the memory of the container: ${limits}. ${fix}` };
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
