// Part of logging/ on edge workers, where a summary is written like any other record.
// A function, and not a constant: bundlers leave out calls of empty functions.
export function summaryJson(): undefined {}
