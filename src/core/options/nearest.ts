/** The known name that was probably meant: the same but for its spelling, a part of it, or two slips away. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const meant = bare(given);
  if (meant === '') return undefined;
  return (
    known.find((name) => bare(name) === meant) ??
    known.find((name) => slips(bare(name), meant) <= 2) ??
    known.find((name) => bare(name) !== '' && (bare(name).includes(meant) || meant.includes(bare(name))))
  );
}

/** `checkRedis` and `check_redis` are one name to a reader. */
const bare = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Letters to add, leave out or change to get from one text to the other; 3 if it is more than two. */
export function slips(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let row = Array.from({ length: other.length + 1 }, (_item, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row.at(-1) ?? 3;
}
