/** Options with every default filled in. */
export type Filled<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };
