/** The known ways of an implementation that differ from the contract. */
export interface Profile {
  readonly failLevel: string;
  /** Rules that it is known not to hold. */
  readonly excused: readonly string[];
}

/** By name. `python-dockerflow` has the observed responses of its Django, Flask, Sanic and FastAPI integrations. */
export const profiles: Readonly<Record<string, Profile | undefined>> = {
  'python-dockerflow': {
    // A Warning gives 200 there.
    failLevel: 'error',
    excused: [
      'vary',
      'cache-control',
      'head',
      'options',
      'methods',
      'slash',
      'version.not-found',
      // An empty body with the content type of the framework.
      'lbheartbeat.content-type',
      'lbheartbeat.charset',
      'lbheartbeat.json',
      // Fields that are missing or null, the rid of the request before, no line for a request that failed.
      'logs.summary',
      'logs.errno',
      'logs.severity',
      'logs.rid',
      'logs.requests',
      'logs.facts',
      'logs.once',
    ],
  },
};
