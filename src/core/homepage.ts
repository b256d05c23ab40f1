/** The address of the documentation, with a slash at its end, as `homepage` of package.json has it; empty while there is none. */
export const homepage: string = '';
