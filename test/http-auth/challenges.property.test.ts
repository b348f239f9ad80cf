import { deepStrictEqual } from 'node:assert/strict';
import t from 'tap';
import { parseAuthenticationInfo } from '../../src/http-auth/authentication-info.ts';
import { basicChallenge } from '../../src/http-auth/basic.ts';
import { bearerChallenge } from '../../src/http-auth/bearer.ts';
import { type Challenge, type ChallengeParameter, formatChallenge } from '../../src/http-auth/challenge.ts';
import {
  type DigestChallenge,
  digestChallenge,
  formatAuthenticationInfo,
  formatDigest,
  parseDigest,
} from '../../src/http-auth/digest.ts';
import { digestAlgorithmNames, qops } from '../../src/http-auth/digest-algorithms.ts';
import { chooseOffer } from '../../src/http-auth/digest-offer.ts';
import { parameterLimits } from '../../src/http-auth/parameters.ts';
import fc, { tries } from '../support/properties.ts';
import { readers, understood } from './readers.ts';

/** Thousands of random challenges: 12 s in .ci/run on a busy machine. */
t.setTimeout(60_000);

const { numRuns } = tries(500, 15_000);
const check = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>) =>
  fc.assert(property, { numRuns });

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
const text = fc.oneof(
  fc.stringMatching(/^[\t \x21-\x7e\x80-\xff]{0,30}$/),
  fc
    .array(fc.constantFrom('"', '\\', ',', '=', ' ', '\t', 'a', 'Basic ', 'b=c', ', d="', '\\"', '\xe9'))
    .map((pieces) => pieces.join('')),
);

const parameters = fc.uniqueArray(
  fc.oneof(
    fc.tuple(token, text),
    fc.tuple(token, token, fc.constant('token' as const)),
  ) as fc.Arbitrary<ChallengeParameter>,
  { selector: ([name]) => name.toLowerCase(), maxLength: 8 },
);

const challenge: fc.Arbitrary<Challenge> = fc.record({ scheme: token, parameters });

/** A challenge as read: names in lowercase, and values as they were before quoting. */
function meant({ scheme, parameters }: Challenge) {
  return {
    scheme: scheme.toLowerCase(),
    values: new Map(parameters.map(([name, value]) => [name.toLowerCase(), value])),
  };
}

t.test('a written challenge reads back whole, alone and among others on one line', async () => {
  const property = fc.property(
    fc.array(challenge, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(', ', ',', ' ,\t', ', , '),
    (challenges, comma) => {
      // A scheme without parameters is written with a space after it, which a list does not allow.
      const line = challenges.map((each) => formatChallenge(each).trimEnd()).join(comma);
      if (line.length <= parameterLimits.list) deepStrictEqual(understood(line), challenges.map(meant));
    },
  );
  check(property);
});

t.test('the challenges of Bearer and Basic read back as intended', async () => {
  const maybe = fc.option(text, { nil: undefined });
  const bearer = fc.record({
    realm: text,
    scope: maybe,
    resourceMetadata: maybe,
    errorDescription: maybe,
    error: fc.constantFrom(undefined, 'invalid_token' as const),
  });
  const property = fc.property(bearer, (said) => {
    const named = [
      ['realm', said.realm],
      ['scope', said.scope],
      ['resource_metadata', said.resourceMetadata],
      ['error', said.error],
      ['error_description', said.errorDescription],
    ] as const;
    const values = new Map(named.filter(([, value]) => value !== undefined));
    deepStrictEqual(understood(bearerChallenge(said)), [{ scheme: 'bearer', values }]);
    deepStrictEqual(understood(basicChallenge({ realm: said.realm, charset: 'UTF-8' })), [
      {
        scheme: 'basic',
        values: new Map([
          ['realm', said.realm],
          ['charset', 'UTF-8'],
        ]),
      },
    ]);
  });
  check(property);
});

/** A server's possible names; in UTF-8 on the wire, an octet a character. */
const realm = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((each) => !/\p{Cc}|\p{Cs}/u.test(each));
const onWire = (text: string) => Buffer.from(text).toString('latin1');

const digest: fc.Arbitrary<DigestChallenge> = fc.record({
  realm,
  nonce: text,
  opaque: fc.option(text, { nil: undefined }),
  algorithm: fc.constantFrom(...digestAlgorithmNames),
  qop: fc.subarray([...qops]),
  userhash: fc.boolean(),
  stale: fc.boolean(),
  domain: fc.option(text, { nil: undefined }),
});

t.test('a written Digest challenge is the offer that a client reads, whatever is beside it', async () => {
  const wish = { algorithms: digestAlgorithmNames, qop: qops };
  const property = fc.property(
    digest,
    fc.array(
      challenge.filter(({ scheme }) => scheme.toLowerCase() !== 'digest'),
      { maxLength: 2 },
    ),
    fc.boolean(),
    (said, others, isFirst) => {
      const written = digestChallenge({ ...said, realm: onWire(said.realm) });
      const beside = others.map((each) => formatChallenge(each).trimEnd());
      const line = (isFirst ? [written, ...beside] : [...beside, written]).join(', ');
      const { domain: _, ...offered } = said;
      deepStrictEqual({ ...chooseOffer([line], wish) }, { ...offered, isNamed: true });
    },
  );
  check(property);
});

t.test('written Digest credentials read back, whatever is quoted in them', async () => {
  const username = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((each) => !/\p{Cc}|\p{Cs}/u.test(each));
  const credentials = fc.record({
    username,
    realm,
    nonce: text,
    uri: text,
    response: fc.stringMatching(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/),
    algorithm: fc.option(token, { nil: undefined }),
    cnonce: text,
    opaque: fc.option(text, { nil: undefined }),
    protection: fc.option(fc.record({ qop: fc.constantFrom(...qops), nc: fc.stringMatching(/^[0-9a-f]{8}$/) }), {
      nil: undefined,
    }),
  });
  const property = fc.property(credentials, fc.boolean(), (said, userhash) => {
    const name = userhash ? Buffer.from(said.username).toString('hex') : said.username.normalize('NFC');
    const parsed = parseDigest(formatDigest({ ...said, username: name, userhash }));
    const plain = JSON.parse(JSON.stringify(parsed));
    const meant = { ...said, username: name, userhash, realm: said.realm.normalize('NFC') };
    deepStrictEqual(plain, JSON.parse(JSON.stringify({ kind: 'credentials', credentials: meant })));
  });
  check(property);
});

t.test('a written Authentication-Info reads back', async () => {
  const info = fc.record({
    rspauth: fc.option(fc.stringMatching(/^[0-9a-f]{32}$/), { nil: undefined }),
    cnonce: text,
    nextnonce: fc.option(text, { nil: undefined }),
  });
  const property = fc.property(info, (said) => {
    const written = formatAuthenticationInfo({ ...said, protection: { qop: 'auth', nc: '00000001' } });
    deepStrictEqual({ ...parseAuthenticationInfo(written) }, { rspauth: said.rspauth, nextnonce: said.nextnonce });
  });
  check(property);
});

t.test('no octets make a reader throw', async () => {
  const octets = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each).toString('latin1')),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .stringMatching(/^(?:%[0-9a-f]{2}|[a-z%']){0,6}$/)
      .map((each) => `realm=r, nonce=n, uri="/", response=0123456789abcdef0123456789abcdef, username*=UTF-8''${each}`),
    fc
      .array(
        fc.constantFrom(
          'Digest ',
          'realm="r"',
          'nonce=n',
          'qop="auth',
          "username*=UTF-8''%",
          ',',
          '"',
          '\\',
          '=',
          ' ',
          '\0',
          '\n',
          '\xff',
          '%c3',
          'uri=/',
        ),
        { maxLength: 16 },
      )
      .map((pieces) => pieces.join('')),
  );
  const property = fc.property(octets, (each) => {
    for (const reader of Object.values(readers)) reader(each);
  });
  check(property);
});
