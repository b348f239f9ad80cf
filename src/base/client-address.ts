import { remembered } from './remembered.ts';

/**
 * The block that counts for an address. IPv4 counts alone. IPv6 counts by its /64, which is one link, or by its /56 or /48,
 * which is one site (RFC 6177 §2), in one spelling. Any other text stays unchanged.
 */
export function addressBlock(address: string, prefix: 64 | 56 | 48 = 64): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address.replace(/%.*$/, ''));
  if (groups.length !== 8 || groups.some(Number.isNaN)) return address;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? dotted(groups) : beginnings[prefix](groups).map(hex).join(':');
}

/** Blocks of different lengths never have the same spelling. */
const beginnings: Readonly<Record<64 | 56 | 48, (groups: readonly number[]) => readonly number[]>> = {
  64: (groups) => groups.slice(0, 4),
  56: (groups) => [...groups.slice(0, 3), (groups[3] ?? 0) >> 8, 0, 0],
  48: (groups) => groups.slice(0, 3),
};

/** The block in the form of a configuration file: `192.0.2.7`, `2001:db8:0:0::/64`. */
export function blockName(address: string): string {
  const block = addressBlock(address);
  return block !== address && block.includes(':') ? `${block}::/64` : block;
}

/** RFC 4291 §2.2: `::` replaces all missing groups of zero. */
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

/** Converts an IPv4-mapped address: an IPv4 peer of a dual-stack listener counts as IPv4. */
export function plainAddress(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}

/** `addressBlock` with a cache for the last addresses: parsing an IPv6 address takes microseconds. */
export function rememberedBlocks(): (address: string) => string {
  const blockOf = remembered(addressBlock);
  return (address) => (address.includes(':') ? blockOf(address) : address);
}

/**
 * The number of `all` that one client address may use. It is at least one. A share below 1 leaves at least one to others, if
 * there are two.
 */
export function shareOf(share: number, all: number): number {
  return share >= 1 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(share * all));
}
