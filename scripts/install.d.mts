/** Installs the packages of a folder by its lock file, unless they are there already. */
export function install(folder: string): void;
