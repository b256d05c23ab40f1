// The times of a second opinion, each with its reason, in milliseconds: docs/probes.md promises them. The rest is in src/probes/limits.ts.

/** The fresh connection of a second opinion may take this long, so that the rest of its time is left for the server's word. */
export const freshTimeout = 1500;

/** A connection in use that runs no query for this time may be leaked: few requests hold one for longer while they do something else. */
export const leakedAfter = 60_000;
/** A connection whose driver waits for an answer while the server runs nothing for it is dead after this time: the answer may be on its way. */
export const deadAfter = 10_000;
/** The same for a single connection, on which a question of the check itself is open. */
export const unansweredAfter = 1000;
