/** The `exit` of a drain whose process somebody else ends, by the signal or by a code of their own. */
export const frameworkEnds = (): void => {};
