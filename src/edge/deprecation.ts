// core/options/deprecation.ts on edge workers, where no warning can be printed: old names work all the same.
export function warnDeprecated(): void {}
