import type { Random } from '../support/random.ts';

/** Segments with a meaning in some rule file. */
export const WORDS = [
  'a',
  '1',
  'status',
  'x~y',
  'admin',
  'secret',
  'keys',
  'acl',
  'help',
  'caf%C3%A9',
  'K',
  'users:purge',
];

/** Writes a path differently, or leads somewhere else; `weak`: a prefix with weak rules. */
export type Mutation = (path: string, random: Random, weak: string) => string;

/** Inserts a piece at any place. */
const put =
  (pieces: readonly string[]): Mutation =>
  (path, random) => {
    const at = random.below(path.length + 1);
    return path.slice(0, at) + random.pick(pieces) + path.slice(at);
  };

/** Appends a piece to a segment, mostly the last. */
const end =
  (pieces: readonly string[]): Mutation =>
  (path, random) => {
    const slash = random.chance(0.3) ? path.indexOf('/', 1 + random.below(path.length)) : -1;
    const at = slash === -1 ? path.length : slash;
    return path.slice(0, at) + random.pick(pieces) + path.slice(at);
  };

/** Writes a character differently; `only`: which may be chosen. */
const write =
  (only: RegExp, spell: (octet: number, random: Random) => string): Mutation =>
  (path, random) => {
    const places = [...path.matchAll(only)].map(({ index }) => index);
    if (places.length === 0) return path;
    const at = random.pick(places);
    return path.slice(0, at) + spell(path.charCodeAt(at), random) + path.slice(at + 1);
  };

const hex = (octet: number) => octet.toString(16).padStart(2, '0');
const percent = (octets: readonly number[]) => octets.map((octet) => `%${hex(octet)}`).join('');
const encode = (octet: number, random: Random) =>
  random.chance(0.5) ? percent([octet]) : percent([octet]).toUpperCase();
const double = (octet: number, random: Random) =>
  random.pick([`%25${hex(octet)}`, `%${percent([...Buffer.from(hex(octet))])}`]);
const overlong = (octet: number, random: Random) => {
  const tail = 0x80 | (octet & 0x3f);
  const head = 0x80 | (octet >> 6);
  return percent(
    random.pick([
      [0xc0 | (octet >> 6), tail],
      [0xe0, head, tail],
      [0xf0, 0x80, head, tail],
      [0xf8, 0x80, 0x80, head, tail],
      [0xfc, 0x80, 0x80, 0x80, head, tail],
    ]),
  );
};

const CONTROLS = [...Array.from({ length: 32 }, (_, octet) => octet), 0x7f].map((octet) => percent([octet]));
const C1 = Array.from({ length: 33 }, (_, index) => percent([0xc2, 0x80 + index]));
const BLANKS = ['%20', '+', '%09', '%c2%a0', '%e2%80%8b', '%e3%80%80', '%ef%bb%bf', '%c2%ad', '%a0', '%20%20'];
const LOOK_ALIKES = [
  '%ef%bc%8e',
  '%e2%80%a4',
  '%e2%80%a5',
  '%ef%bc%8f',
  '%e2%88%95',
  '%e2%81%84',
  '%ef%bc%bc',
  '%e2%88%96',
  '%ef%bc%9a',
  '%ef%bc%a0',
  '%ef%bd%81',
];
const DOTS = [
  '.',
  '..',
  '%2e',
  '%2E.',
  '.%2e',
  '%2e%2e',
  '..%09',
  '.%09.',
  '%09..',
  '..%20',
  '%20..',
  '..%00',
  '..;',
  '..;x=1',
  '..%3b',
  '..%0d%0a',
  '..%c2%ad',
  '%c0%ae%c0%ae',
  '%ef%bc%8e%ef%bc%8e',
  '%e2%80%a5',
  '.%0a.',
  '..%3F',
  '..%23',
  '...',
];
const SLASHES = ['//', '/./', '%2f', '%2F', '\\', '%5c', '%5C', '%ef%bc%8f', '%c0%af', '/%2f', '%2f/'];
const PARAMETERS = [';', ';x', ';x=y', '%3b', '%3B', ';jsessionid=1', '%3Bx=1', ';/', '%3b%2e%2e'];
const CUTS = ['%3F', '%3f', '%23', '%3Fx', '%23x', '%3F/admin', '%20%3F', '%3F%20', '%00', '%25', '%25%2e'];

const swapCase = (text: string) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase());

/** Any octet, and any code point below U+3100 in UTF-8, for cases without a rule of their own. */
const anyPiece = (random: Random) =>
  random.chance(0.5)
    ? percent([random.below(256)])
    : percent([...Buffer.from(String.fromCodePoint(0xa0 + random.below(0x3100 - 0xa0)))]);

/** Spellings that no rule refuses for their form: only the route that they match is left to judge. */
export const QUIET: readonly Mutation[] = [
  write(/[^/%]/g, encode),
  write(/[:@()'$,=+!&~*]/g, encode),
  write(/[:@()'$,=+!&~*]/g, encode),
  (path) => path.replace(/[:@()'$,=+!&~*]/g, (text) => percent([text.charCodeAt(0)])),
  write(/[A-Za-z]/g, (octet) => swapCase(String.fromCharCode(octet))),
  put(['%20', '%3F', '%23', '%C2%A0', '%7c']),
  end(['%20', '%20%20', '%3F', '%23', '%3Fx', '%23x', '/', '%E3%80%80']),
  (path, random) =>
    path.replace(/[^/]+/g, (text) => (random.chance(0.2) ? random.pick(['%20', '%23', '%3F', 'x']) : text)),
];

export const LOUD: readonly Mutation[] = [
  (path, random, weak) => put([anyPiece(random)])(path, random, weak),
  (path, random, weak) => end([anyPiece(random)])(path, random, weak),
  (path, random) => path.replace(/[^/%]/g, (text) => (random.chance(0.3) ? percent([text.charCodeAt(0)]) : text)),
  write(/[^/%]/g, encode),
  write(/[^/%A-Za-z0-9]/g, encode),
  write(/[:@()'$,=+!&~*]/g, encode),
  write(/[/]/g, encode),
  write(/[^%]/g, double),
  write(/[./]/g, overlong),
  (path) => path.replace(/[^/%A-Za-z0-9]/g, (text) => percent([text.charCodeAt(0)])),
  write(/[A-Za-z]/g, (octet) => swapCase(String.fromCharCode(octet))),
  (path) => path.toUpperCase(),
  (path) =>
    path
      .replace(/%c3%a9/i, '%C3%89')
      .replace(/%c3%9f/i, 'ss')
      .replace(/K/, '%E2%84%AA'),
  (path) => path.replace(/%c3%a9/i, 'e%CC%81'),
  put(CONTROLS),
  put(C1),
  put(BLANKS),
  put(LOOK_ALIKES),
  put(SLASHES),
  put(PARAMETERS),
  put(CUTS),
  put(['%80', '%ff', '%fe%ff', '%c3', '%e9', '%u002f', '%', '%zz', '%2']),
  put(['"', '|', '[', '`', '{', ' ', '\t', '\xe9', '#']),
  put(['%7c', '%22', '%5b', '%60', '%7b', '%5e', '%3c']),
  end(BLANKS),
  end(CONTROLS),
  end(['/', '.', '/.', '/..', '%2e', '%2f', '%20', '%20%20', '//']),
  end(CUTS),
  end(PARAMETERS),
  (path, random) => `${path}/${random.pick(DOTS)}/${random.pick(WORDS)}`,
  (path, random) => path.replace(/\//, `/${random.pick(DOTS)}/`),
  (path, random, weak) => `${weak}${random.pick(DOTS)}${random.pick(['/', '/', '%2f', '\\', '%5c'])}${path.slice(1)}`,
  (path, random, weak) => `${weak}x${random.pick(SLASHES)}${random.pick(DOTS)}${random.pick(SLASHES)}..${path}`,
];
