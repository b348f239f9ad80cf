import t from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { commands } from './administered.ts';

/** Each command is a process: 10 s on a busy machine. */
t.setTimeout(90_000);

interface Row {
  readonly kid: string;
  readonly alg: string;
  readonly status: string;
}

t.test('an OpenID Provider rotates the keys of all algorithms of its ID tokens', async (t) => {
  const { gatehouse, json } = commands(temporaryFolder(t), 'openid: { enabled: true }\n');
  const listed = (status: string) =>
    json(['key', 'list'])
      .filter((row: Row) => row.status === status)
      .map(({ kid, alg }: Row) => ({ kid, alg }));
  const old: readonly Row[] = listed('current');
  t.strictSame(old.map(({ alg }) => alg).sort(), ['ES256', 'EdDSA', 'RS256']);
  const { keys: next, ...first } = json(['key', 'rotate']);
  t.match(first, { alg: 'ES256', kid: next[0].kid });
  t.strictSame(new Set(listed('next')), new Set(next));
  t.equal(gatehouse(['key', 'rotate']).status, 1, 'one at a time');
  const { keys: only } = json(['key', 'rotate', '--now']);
  t.strictSame(new Set(listed('current')), new Set(only));
  t.strictSame(listed('next'), []);
  t.ok(old.every(({ kid }) => only.every((key: Row) => key.kid !== kid)));
});

t.test('with HS256 for access tokens, only the keys of ID tokens are rotated, and the command says so', async (t) => {
  const secret = Buffer.alloc(32, 7).toString('base64url');
  const signing = `signing: { alg: HS256, secret_base64url: ${secret} }\n`;
  const { gatehouse } = commands(temporaryFolder(t), `${signing}openid: { enabled: true }\n`);
  const rotated = gatehouse(['key', 'rotate', '--now']);
  t.match(
    rotated.stdout,
    /only key for RS256[\s\S]*Access tokens stay valid, because the secret of HS256 is in the file/,
    rotated.stderr,
  );
  const { status, stderr } = commands(temporaryFolder(t), signing).gatehouse(['key', 'rotate']);
  t.match({ status, stderr }, { status: 1, stderr: /the secret of HS256 is in the file/ });
});
