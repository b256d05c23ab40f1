// core/options/deprecation.ts on edge workers: they have no way to print a warning, and old names work all the same.
export function warnDeprecated(): void {}
