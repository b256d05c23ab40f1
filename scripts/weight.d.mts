/** An entry of the package in one of its forms. */
interface Entry {
  readonly subpath: string;
  readonly form: 'import' | 'require';
  readonly file: string;
}

interface Weight {
  readonly minified: number;
  readonly gzip: number;
}

export function minified(file: string): string;
export function loadedBy(file: string): Set<string>;
export function loadedByHealth(directory: string, file: string): Set<string>;
export function weigh(files: Iterable<string>): Weight;
export function entriesOf(directory: string): readonly Entry[];
export function edgeBundle(directory: string): Weight;
