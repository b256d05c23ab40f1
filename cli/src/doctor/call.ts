import type { Front } from './fronts.js';
import { isRoot, usesLifesign } from './traits.js';
import type { Workload } from './workload.js';

/** Facts from all files of one call, needed to judge each of them. */
export interface Call {
  /** Whether the services have lifesign: only then its paths are served. */
  readonly lifesign: boolean;
  /** Whether a manifest starts its containers as another user than root. */
  readonly otherUser: boolean;
  /** The load balancers in front of the containers. */
  readonly fronts: readonly Front[];
}

export function callOf(workloads: readonly Workload[], fronts: readonly Front[], lifesign: boolean): Call {
  const manifests = workloads.filter(({ format }) => format !== 'dockerfile');
  return {
    lifesign: lifesign || workloads.some(usesLifesign),
    otherUser: manifests.some(({ user }) => user !== undefined && !isRoot(user.text)),
    fronts,
  };
}
