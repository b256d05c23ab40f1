/**
 * Where the thread's code is: in a file here, in a text in the built package (scripts/build.mjs puts it in this place),
 * so that an application that is bundled into one file needs no second one.
 */
export const threadSource: { readonly file: URL } | { readonly code: string } = {
  file: new URL('thread/main.ts', import.meta.url),
};
