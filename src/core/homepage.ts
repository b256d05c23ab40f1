/** The address of the documentation, with a slash at its end. scripts/build.mjs puts `homepage` of package.json here; empty while there is none. */
export const homepage: string = '';
