const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A duration in its two largest units, such as `1 h 50 min`. Below one second: `0 s`. */
export function durationInWords(seconds: number): string {
  const whole = Math.floor(Math.abs(seconds));
  const first = units.findIndex(([, size]) => whole >= size);
  if (first === -1) return '0 s';
  const [[name, size], next] = [units[first] as (typeof units)[number], units[first + 1]];
  const rest = next === undefined ? 0 : Math.floor((whole % size) / next[1]);
  const main = `${Math.floor(whole / size)} ${name}`;
  return next === undefined || rest === 0 ? main : `${main} ${rest} ${next[0]}`;
}

/** The largest time of a Date, in seconds. */
const LATEST = 8_640_000_000_000;

/** A NumericDate (RFC 7519 §2) in the form of RFC 3339, to the second. A time outside the calendar stays a number. */
export function instantInWords(seconds: number): string {
  if (!(Math.abs(seconds) <= LATEST)) return String(seconds);
  return new Date(Math.floor(seconds) * 1000).toISOString().replace('.000Z', 'Z');
}
