/**
 * Whom an address stands for when requests are counted: IPv4 for itself, IPv6 for its /64, which is what one subscriber
 * has (RFC 6177), in one spelling. Anything else stays as it is.
 */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address.replace(/%.*$/, ''));
  if (groups.length !== 8 || groups.some(Number.isNaN)) return address;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? dotted(groups) : groups.slice(0, 4).map(hex).join(':');
}

/** RFC 4291 §2.2: `::` stands for as many groups of zero as are lacking. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  return [...before, ...new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

function parse(text: string): readonly number[] {
  return text === ''
    ? []
    : text.split(':').flatMap((group) => (group.includes('.') ? fromDotted(group) : [fromHex(group)]));
}

function fromHex(group: string): number {
  return /^[0-9a-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : Number.NaN;
}

function fromDotted(text: string): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function dotted(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function hex(group: number): string {
  return group.toString(16);
}
