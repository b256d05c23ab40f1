const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A span of time for people: `<0.1 ms`, `0.4 ms`, `12 ms`, `1.2 s`, `45 s`, `4 min`, `2 h 5 min`, `3 d 4 h`. */
export function span(ms: number): string {
  if (ms < 0.05) return '<0.1 ms';
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  return age(ms);
}

/** How long ago something was, in whole seconds at least: `0 s`, `45 s`, `4 min`, `3 d 4 h`. */
export function age(ms: number): string {
  if (ms < minute) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < day) return two(ms, hour, 'h', minute, 'min');
  return two(ms, day, 'd', hour, 'h');
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** A count and its noun: `1 check`, `7 checks`. */
export function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`;
}
