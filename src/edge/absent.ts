import { notOnEdge } from '../core/options/errors.js';

/** Stands for a function that the build for edge workers does not have. */
export function absent(what: string, instead?: string): () => never {
  return () => {
    throw notOnEdge(what, instead);
  };
}
