/**
 * What the most lenient upstream could read in a request-target. It decodes percent-encoding until nothing is left to
 * decode, folds overlong UTF-8 to ASCII, and treats backslashes as slashes. It drops path parameters, collapses
 * slashes, and removes dot segments. Each step that some server skips is also tried without it.
 */
export function readings(target: string): readonly string[] {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const decoded = fixpoint(path);
  const withoutParameters = decoded.replace(/;[^/]*/g, '');
  const beforeNull = decoded.replace(/\0.*$/s, '');
  return [path, decoded, withoutParameters, beforeNull].map((each) => removeDots(each));
}

/** Whether any reading of the target equals the path or is below it. */
export function mayReach(target: string, path: string): boolean {
  return readings(target).some((reading) => reading === path || reading.startsWith(`${path}/`));
}

/** Whether some upstream would see a dot segment. */
export function hasDots(target: string): boolean {
  const decoded = fixpoint(target);
  return [decoded, decoded.replace(/;[^/]*/g, '')].some((path) =>
    path.split('/').some((segment) => /^\.\.?$/.test(segment)),
  );
}

/** Bounded: each round shortens the text or is the last. */
function fixpoint(path: string): string {
  let before = path;
  for (let round = 0; round < 20; round++) {
    const after = decodeOnce(before);
    if (after === before) break;
    before = after;
  }
  return before.replaceAll('\\', '/');
}

function decodeOnce(path: string): string {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return foldOverlong(decoded).replace(/%u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Two, three and four bytes that stand for one ASCII character (RFC 3629 §10), with lax continuation bytes. */
function foldOverlong(text: string): string {
  const low = (byte: string, lead: string) =>
    String.fromCharCode((byte.charCodeAt(0) & 0x3f) | ((lead.charCodeAt(0) & 1) << 6));
  return text
    .replace(/([\xc0\xc1])([\s\S])/g, (_, lead: string, byte: string) => low(byte, lead))
    .replace(/\xe0([\x80\x81])([\s\S])/g, (_, lead: string, byte: string) => low(byte, lead))
    .replace(/\xf0\x80([\x80\x81])([\s\S])/g, (_, lead: string, byte: string) => low(byte, lead));
}

function removeDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}
