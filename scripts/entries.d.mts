export declare const entries: Readonly<Record<string, string>>;
export declare function writeDoors(directory: string): void;
