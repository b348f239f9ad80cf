import type { Random } from './random.ts';

/** One part of a request, and what it means for the whole. */
export interface Part {
  readonly name: string;
  /** forward: no objection; refuse: never reaches the upstream; cut: may reach it, but is never completed. */
  readonly verdict: 'forward' | 'refuse' | 'cut';
}

export interface TargetPart extends Part {
  readonly target: string;
  /** What the route requires. */
  readonly needs: 'nothing' | 'read' | 'admin';
}

const SAFE = 'abcdefghijklmnopqrstuvwxyz0123456789-_.~';

const prefixes = [
  { path: '/public', needs: 'nothing' },
  { path: '/orders', needs: 'read' },
  { path: '/admin', needs: 'admin' },
] as const;

const spoiled = [
  '/../a',
  '/%2e%2e/a',
  '//a',
  '/a%2fb',
  '/%5c',
  '/a\\b',
  '/%00',
  '/%',
  '/%zz',
  '/%252e',
  '/a;b',
  '/.',
  '/a#b',
  '/%2E',
  '/é',
  '/a b',
  '/%c0%ae%c0%ae/a',
  '/..;/a',
  '/%%32%65',
];

/** A path below one of the routes, in one of several equal spellings, or a path that is refused for its form. */
export function targetPart(dice: Random): TargetPart {
  const { path, needs } = dice.pick(prefixes);
  const spelt = dice.chance(0.2) ? `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}` : path;
  const segment = `s${dice.text(SAFE, dice.below(20))}`;
  const query = dice.chance(0.3) ? `?${dice.text(`${SAFE}=&/?`, dice.below(30))}` : '';
  if (dice.chance(0.1))
    return { name: 'spoiled', verdict: 'refuse', target: spelt + dice.pick(spoiled) + query, needs };
  if (dice.chance(0.03)) return { name: 'unknown', verdict: 'refuse', target: `/unknown/${segment}`, needs };
  return { name: 'good', verdict: 'forward', target: `${spelt}/${segment}${query}`, needs };
}

export interface CredentialPart extends Part {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: string;
  /** Replaces the body, with a method that may have a form. */
  readonly form?: string;
  readonly holds: 'nothing' | 'read' | 'admin';
}

export interface Tokens {
  readonly read: string;
  readonly admin: string;
}

const broken = [
  'Bearer',
  'Bearer ',
  'Bearer =',
  'Bearer a b',
  'Bearer é',
  'Bearer x.y.z',
  'Bearer eyJ.eyJ.x',
  'Bearer 0',
  'bearer ....',
  `Bearer ${'x'.repeat(3000)}`,
];
const foreign = ['Basic eDp5', 'Digest username="x"', 'Token abc', ''];

/** A public route forwards all of these; `refuse` applies to the protected routes. */
export function credentialPart(dice: Random, tokens: Tokens): CredentialPart {
  const token = dice.chance(0.5) ? 'read' : 'admin';
  const good = `${dice.pick(['Bearer', 'bearer', 'BEARER'])} ${tokens[token]}`;
  const none = { verdict: 'forward', headers: [], query: '', holds: 'nothing' } as const;
  const refused = { ...none, verdict: 'refuse' } as const;
  const header = (value: string) => [['Authorization', value]] as const;
  const makers: readonly (() => CredentialPart)[] = [
    () => ({ ...none, name: 'none' }),
    () => ({ ...none, name: 'good', headers: header(good), holds: token }),
    () => ({ ...none, name: 'good', headers: header(good), holds: token }),
    () => ({ ...none, name: 'in the query', query: `access_token=${tokens[token]}`, holds: token }),
    () => ({ ...none, name: 'in the form', form: `a=1&access_token=${tokens[token]}&b=2`, holds: token }),
    () => ({ ...refused, name: 'twice in the form', form: `access_token=${tokens[token]}&access_token=x` }),
    () => ({ ...refused, name: 'in two places', headers: header(good), query: `access_token=${tokens[token]}` }),
    () => ({ ...refused, name: 'twice', headers: [...header(good), ...header(good)] }),
    () => ({ ...refused, name: 'broken', headers: header(dice.pick(broken)) }),
    () => ({ ...none, name: 'foreign', headers: header(dice.pick(foreign)) }),
    () => ({ ...refused, name: 'spoiled', headers: header(`${good.slice(0, -1 - dice.below(20))}`) }),
  ];
  return dice.pick(makers)();
}

export interface BodyPart extends Part {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** What the upstream gets, if it gets the request whole. */
  readonly length: number;
}

function chunked(text: string): string {
  return text === '' ? '0\r\n\r\n' : `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}

const coding = ['Transfer-Encoding', 'chunked'] as const;

export function bodyPart(dice: Random): BodyPart {
  const text = dice.text(SAFE, dice.below(dice.pick([10, 3000])));
  const whole = { verdict: 'forward', length: text.length } as const;
  const length = ['Content-Length', String(text.length)] as const;
  const nothing = { name: 'none', headers: [], body: '', length: 0, verdict: 'forward' } as const;
  const makers: readonly (() => BodyPart)[] = [
    () => nothing,
    () => nothing,
    () => ({ ...whole, name: 'length', headers: [length], body: text }),
    () => ({ ...whole, name: 'chunks', headers: [coding], body: chunked(text) }),
    () => ({ ...whole, name: 'both', verdict: 'refuse', headers: [length, coding], body: chunked(text) }),
    () => ({
      ...whole,
      name: 'two lengths',
      verdict: 'refuse',
      headers: [length, ['content-length', '1']],
      body: text,
    }),
    () => ({
      ...whole,
      name: 'bad coding',
      verdict: 'refuse',
      headers: [['Transfer-Encoding', dice.pick(['gzip', 'chunked, gzip', 'xchunked', 'identity', ''])]],
      body: text,
    }),
    () => ({
      ...whole,
      name: 'bad chunk',
      verdict: 'cut',
      headers: [coding],
      body: `${chunked(text).slice(0, -5)}xyz\r\n\r\n`,
    }),
  ];
  return dice.pick(makers)();
}

export interface HeaderPart extends Part {
  readonly lines: string;
}

const harmless = [
  'X-A: b',
  'Accept: */*',
  'X-Auth-Subject: mallory',
  'x_forwarded_for: 6.6.6.6',
  'Connection: keep-alive',
  'Connection: X-Auth-Subject',
  'Content-Type: garbage/',
  'Content-Type: a/b',
  'TE: trailers',
  'Upgrade: h2c',
  'Cookie: a=b',
  'X-Empty:',
  'X-Odd: \u00ff\u0080',
];
const malformed = ['Host: other', 'X : y', ' folded', 'X: a\0b', 'nocolon', ': y', 'X: a\rb', 'X\u00ff: y'];

export function headerPart(dice: Random): HeaderPart {
  const lines = Array.from({ length: dice.below(6) }, () => `${dice.pick(harmless)}\r\n`);
  if (dice.chance(0.95)) return { name: 'harmless', verdict: 'forward', lines: lines.join('') };
  return { name: 'malformed', verdict: 'refuse', lines: `${lines.join('')}${dice.pick(malformed)}\r\n` };
}

const formType = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

/** The body with a token, and what remains of it for the upstream. */
export function formPart(form: string, isPublic: boolean): BodyPart {
  const left = isPublic ? form : form.replace(/&?access_token=[^&]*/g, '');
  const headers = [formType, ['Content-Length', String(form.length)] as const];
  return { name: 'form', verdict: 'forward', headers, body: form, length: left.length };
}

/** What the upstream does with a matching request, and whether the client may see its answer. */
export const upstreamFaults = ['reset', 'garbage', 'cut'] as const;
export type UpstreamFault = (typeof upstreamFaults)[number];
