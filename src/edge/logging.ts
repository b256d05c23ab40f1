// Parts of logging/ on edge workers, which have no NestJS, and where a summary is written like any other record.
// Functions, and not constants: bundlers leave out calls of empty functions.
export function isNest(): undefined {}
export function fromNest(): undefined {}
export function summaryJson(): undefined {}
