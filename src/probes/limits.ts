// The numbers that docs/probes.md and contributing/scale.md promise, each with its reason. Times are milliseconds.

/** A failure that is proven to be a fault of this process fails `/livez` after this time: long enough for drivers and platforms to recover by themselves. */
export const usualRestart = 60_000;
/** The share of `restartAfter` that is added at most, at random: instances with the same fault do not restart all at once. */
export const restartJitter = 0.5;

/** The share of `probeEvery` that is added at most, at random: a fleet that was started at once does not run its checks in step forever. */
export const runJitter = 0.25;
/** An answer waits this long for a run of the checks: platforms give a probe a second. */
export const maxWait = 500;

/** How long a client may take to reconnect after a shared failure: many pause for seconds between two attempts. */
export const settling = 5000;
/** A result is too old to use after this time without a probe. */
export const staleAfter = 120_000;

/** A second opinion may take this long; then it does not count. */
export const opinionTimeout = 2000;

/** A request whose client has left may still hold a connection that it checked out this long ago: Node's fetch waits as long for an answer. */
export const abandonedFor = 300_000;

/** Peers that are queried for one opinion: enough to outvote a broken one, and few enough for a fleet of any size. */
export const maxPeersAsked = 3;
/** As many more before an instance leaves, if some of the first are out and others are not: three do not say whether half of a large fleet is. */
export const maxPeersIfDivided = 12;
/** Peers are queried this long after the check failed here: they run their checks every second, and need time to notice it too. */
export const peerSettling = 1500;
/** Finding peers by their name, and querying one, may take this long. */
export const peerLookupTimeout = 500;
export const peerTimeout = 600;
/** While the checks pass, the addresses of peers are looked up this often, so that they are known if DNS fails. */
export const peerLookupEvery = 60_000;
/** Addresses that were found this long ago are not queried while DNS fails: another service may have them by now. */
export const peersForgottenAfter = 300_000;
/** A peer opens a fresh connection to see whether it reaches the dependency now: how long that may take, and the time between two. */
export const reachTimeout = 400;
export const reachEvery = 500;
/** If peers reach it, a fresh connection from here is tried once more and may take this long, as in the second opinion that failed. */
export const recheckTimeout = 1500;
/** A peer ignores a result that is older than this. */
export const peerStaleAfter = 30_000;
