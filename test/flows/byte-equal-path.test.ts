import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { hasDots } from '../support/lenient-path.ts';
import { isFullSize, isLong } from '../support/long.ts';
import { sendAll } from '../support/many.ts';
import { type Random, random } from '../support/random.ts';
import { requestText } from '../support/request-text.ts';
import { witness } from '../support/witness.ts';

/** Many more cases with GATEHOUSE_LONG=1: 7 s in .ci/run on a busy machine. */
t.setTimeout(isLong ? 1_800_000 : 600_000);

/** RFC 3986 §3.3: pchar, except `;`, which only some routes accept. */
const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
const SUB_DELIMS = "!$&'()*+,=";
const PCHAR = `${UNRESERVED}${SUB_DELIMS}:@`;

/**
 * Bytes that stay encoded. These are not unreserved (decoded once), control characters, `%`, `/`, `;` or `\` (refused,
 * or kept only by some routes).
 */
const encodedBytes = Array.from({ length: 256 }, (_, byte) => byte).filter(
  (byte) =>
    !UNRESERVED.includes(String.fromCharCode(byte)) && byte > 0x1f && ![0x25, 0x2f, 0x3b, 0x5c, 0x7f].includes(byte),
);

interface Alphabet {
  readonly plain: string;
  readonly bytes: readonly number[];
}

const strict: Alphabet = { plain: PCHAR, bytes: encodedBytes };
const keeping: Alphabet = { plain: `${PCHAR};`, bytes: [...encodedBytes, 0x2f, 0x3b] };

function character(dice: Random, { plain, bytes }: Alphabet): string {
  if (dice.chance(0.7)) return dice.pick([...plain]);
  const hex = dice.pick(bytes).toString(16).padStart(2, '0');
  return `%${dice.chance(0.5) ? hex : hex.toUpperCase()}`;
}

function segment(dice: Random, alphabet: Alphabet): string {
  return Array.from({ length: 1 + dice.below(12) }, () => character(dice, alphabet)).join('');
}

/** A literal `%25` is a percent sign. Before two hex digits it would be double encoding, which is refused. */
function rest(dice: Random, alphabet: Alphabet): string {
  const segments = Array.from(
    { length: dice.below(6) },
    () => segment(dice, alphabet) + (dice.chance(0.05) ? '%25-' : ''),
  );
  const slash = segments.length > 0 && dice.chance(0.2) ? '/' : '';
  return segments.map((each) => `/${each}`).join('') + slash;
}

/**
 * Refused: a character in more bytes than necessary or not in UTF-8 (RFC 3629 §10), C1, and slashes of other scripts.
 */
const REFUSED =
  /%c[01]%[89ab][0-9a-f]|%e0%[89][0-9a-f]%[89ab][0-9a-f]|%f0%8[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[89a-f]%[89ab]|%c2%[89]|%e2%81%84|%e2%88%9[56]|%ef%b9%a8|%ef%bc%(?:8f|bc)/i;

/** Lax servers drop non-ASCII bytes and blanks; an encoded `?` or `#` ends the path for some. */
function mayHaveDots(path: string): boolean {
  return hasDots(path.replace(/%(?:[89a-f][0-9a-f]|20)/gi, '').replace(/%(?:3f|23)[^/]*/gi, ''));
}

function path(dice: Random): string {
  const [prefix, alphabet] = dice.chance(0.5) ? (['/strict', strict] as const) : (['/keep', keeping] as const);
  for (let attempt = 0; attempt < 100; attempt++) {
    const made = prefix + rest(dice, alphabet);
    if (!mayHaveDots(made) && !REFUSED.test(made)) return made;
  }
  throw new Error('a hundred random paths in a row were such as are refused');
}

const routes = [
  { id: 'strict', match: { path: '/strict/{rest*}' }, access: 'public' },
  { id: 'keep', match: { path: '/keep/{rest*}' }, access: 'public', encoded_slashes: 'keep', path_parameters: 'keep' },
];

t.test('a path that RFC 3986 allows and no rule refuses arrives byte-equal', async (t) => {
  const dice = random(3986);
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const sent = Array.from({ length: isLong ? 100_000 : isFullSize ? 10_000 : 2_000 }, () => path(dice));
  const refused: string[] = [];
  await sendAll({
    port,
    items: sent.entries(),
    bytes: ([index, target]) => requestText({ target, headers: [['X-Case', String(index)]] }),
    onAnswer: ([, target], response) =>
      void (response?.status !== 200 && refused.push(`${response?.status} ${target} ${response?.body}`)),
  });
  t.same(refused.slice(0, 10), [], 'none is refused');
  const arrived = new Map(upstream.seen.map((seen) => [Number(seen.header('x-case')), seen.target]));
  const changed = [...sent.entries()].filter(([index, target]) => arrived.get(index) !== target);
  t.same(changed.slice(0, 10), [], 'none is changed');
  t.equal(upstream.seen.length, sent.length, 'each arrived once');
});

t.test('every single character in a segment arrives as sent', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const plain = [...PCHAR].filter((each) => each !== '.');
  const encoded = encodedBytes.flatMap((byte) => {
    const hex = byte.toString(16).padStart(2, '0');
    return [`%${hex}`, `%${hex.toUpperCase()}`];
  });
  const kept = [';', 'a;b=c', '%2f', '%2F', 'a%2Fb'].map((each) => `/keep/${each}`);
  const sent = [...[...plain, ...encoded].map((each) => `/strict/${each}`), ...kept];
  await sendAll({
    port,
    items: sent,
    bytes: (target) => requestText({ target }),
    onAnswer: (target, response) => t.equal(response?.status, 200, target),
  });
  t.same(upstream.seen.map(({ target }) => target).sort(), sent.sort());
});

t.test('percent-encoded unreserved characters are decoded once, and the result matches and arrives', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const spellings = {
    '/strict/%41%7a%2D%5f%7E%2e%39': '/strict/Az-_~.9',
    '/%73trict/a': '/strict/a',
    '/str%69ct/%C3%a4': '/strict/%C3%a4',
  };
  for (const [target, arrives] of Object.entries(spellings)) {
    upstream.forget();
    await sendAll({
      port,
      items: [target],
      bytes: () => requestText({ target }),
      onAnswer: (_, response) => t.equal(response?.status, 200, target),
    });
    t.same(
      upstream.seen.map((seen) => seen.target),
      [arrives],
    );
  }
});

t.test('the query arrives byte-equal', async (t) => {
  const dice = random(34);
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url, { routes }));
  const alphabet: Alphabet = { plain: `${PCHAR};/?`, bytes: [...encodedBytes, 0x2f, 0x25, 0x5c] };
  const sent = Array.from({ length: 1000 }, () => `/strict/a?${segment(dice, alphabet)}&b=${segment(dice, alphabet)}`);
  await sendAll({
    port,
    items: sent,
    bytes: (target) => requestText({ target }),
    onAnswer: (target, response) => t.equal(response?.status, 200, target),
  });
  t.same(upstream.seen.map(({ target }) => target).sort(), sent.sort());
});
