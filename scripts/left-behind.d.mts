export function ticks(): number;
export function leftBehind(since: number, seconds?: number): Promise<readonly string[]>;
