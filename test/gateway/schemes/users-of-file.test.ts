import { writeFileSync } from 'node:fs';
import t from 'tap';
import { hashApiKey, hmacApiKey, makeApiKey } from '../../../src/http-auth/api-key.ts';
import { formatBasic } from '../../../src/http-auth/basic.ts';
import { digestLines, userFile } from '../../support/user-files.ts';
import { headOf } from '../head.ts';
import { opening } from './opened.ts';
import { answer, offerOf, present, user } from './presenting.ts';
import { gatewayOf, gatewayWith, routeWith } from './taken.ts';

const hashed = (key: string) => `sha256:${hashApiKey(Buffer.from(key))}`;

t.test('a key is found in the file by its hash, or by its HMAC if the block has the secret', async (t) => {
  const secret = Buffer.alloc(32, 9);
  const own = makeApiKey();
  const keys = userFile(
    t,
    `k1 ${hashed(own)} meter-7 - read\nk2 hmac:${hmacApiKey(secret, Buffer.from('short'))} old -\n`,
  );
  const { open } = opening(t);
  const tell = async (key: string, block: object) => {
    const [scheme] = open(gatewayWith('api_key', { keys, ...block }, { realm: 'file' })).of(0);
    const verdict = await scheme?.verify(present(key));
    return verdict?.kind === 'verified' ? `${verdict.identity.subject} ${verdict.identity.issuer}` : verdict?.kind;
  };
  const hmac_key = secret.toString('base64');
  t.equal(await tell(own, { hmac_key }), 'meter-7 api_key:file');
  t.equal(await tell(own, { hmac_key, realm: 'own' }), 'meter-7 api_key:own');
  t.equal(await tell('short', { hmac_key }), 'old api_key:file');
  t.equal(await tell('short', { hmac_key: Buffer.alloc(32, 8).toString('base64') }), 'refused');
  t.equal(await tell('other', { hmac_key }), 'refused');
});

t.test(
  "a scheme of API keys names the key's place in its challenge, reads no body, and finds the key there",
  async (t) => {
    const keys = userFile(t, `k1 ${hashed('a')} meter-7 -\n`);
    const { open } = opening(t);
    const { of } = open(
      gatewayOf(
        [
          { id: 'a', match: { path: '/a' }, auth: 'api_key', api_key: { keys }, access: 'authenticated' },
          {
            id: 'b',
            match: { path: '/b' },
            auth: { any_of: ['api_key', 'basic'] },
            api_key: { keys, in: 'query', name: 'Key', realm: 'own' },
            basic: { users: userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n'), allow_insecure: true },
            access: 'authenticated',
          },
        ],
        { realm: 'file' },
      ),
    );
    const told = (index: number) =>
      of(index).map(({ name, places, challenges, wantsEntity }) => ({
        name,
        places,
        challenges: challenges(headOf(), false),
        body: wantsEntity(headOf(['Content-Length', '9'])),
      }));
    t.strictSame(told(0), [
      {
        name: 'api_key',
        places: [{ in: 'header', name: 'x-api-key' }],
        challenges: ['ApiKey realm="file", header="X-API-Key"'],
        body: undefined,
      },
    ]);
    t.strictSame(told(1), [
      {
        name: 'api_key',
        places: [{ in: 'query', name: 'Key' }],
        challenges: ['ApiKey realm="own", query="Key"'],
        body: undefined,
      },
      { name: 'basic', places: undefined, challenges: ['Basic realm="file"'], body: undefined },
    ]);
  },
);

t.test('a file that has become unusable accepts no user, whatever the scheme, and the log has its fault', async (t) => {
  const keys = userFile(t, `k1 ${hashed('key')} meter-7 -\n`);
  const passwords = userFile(t, 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n');
  const hashes = userFile(t, digestLines('alice', 'd', user.password));
  const { open, logged } = opening(t);
  const { of } = open(
    gatewayOf([
      routeWith('a', 'api_key', { keys }),
      routeWith('b', 'basic', { users: passwords, allow_insecure: true }),
      routeWith('c', 'digest', { realm: 'd', users: hashes }),
    ]),
  );
  const tell = async () => {
    const [key, basic, digest] = [of(0)[0], of(1)[0], of(2)[0]];
    const verdicts = [
      key?.verify(present('key')),
      basic?.verify(present(formatBasic('alice', 'Circle of Life'))),
      digest?.verify(answer(offerOf(digest.challenges(headOf(), false)))),
    ];
    return (await Promise.all(verdicts)).map((verdict) => verdict?.kind);
  };
  t.strictSame(await tell(), ['verified', 'verified', 'verified']);
  t.strictSame(logged(), []);
  for (const file of [keys, passwords, hashes]) writeFileSync(file, 'no line of users\n');
  t.strictSame(await tell(), ['refused', 'refused', 'refused']);
  const told = logged().filter(({ msg }) => msg === 'a user file is now invalid: none of its users can log in');
  t.strictSame(
    told.map(({ file }) => file),
    [keys, passwords, hashes],
  );
  for (const { level, file, faults } of told) {
    t.equal(level, 50, 'an error');
    t.match(JSON.stringify(faults), `${file}:1: `);
  }
});

t.test('a Basic password that was right is checked again after its file changed, with each kind of hash', async (t) => {
  const salted = (salt: number) => {
    const octets = Buffer.alloc(4, salt);
    return `alice:{SSHA}${Buffer.concat([Buffer.alloc(20, 1), octets]).toString('base64')}\n`;
  };
  const users = userFile(t, salted(1));
  const { open } = opening(t);
  const scheme = () => open(gatewayWith('basic', { users, allow_insecure: true })).of(0)[0];
  const first = scheme();
  t.equal(scheme(), first, 'the same file');
  writeFileSync(users, salted(2));
  t.not(scheme(), first, 'another salt alone');
});
