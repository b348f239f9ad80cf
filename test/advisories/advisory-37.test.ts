import t from 'tap';
import { bench } from './bench.ts';

const resource = 'https://api.example.com';
const forged = [
  'X-Forwarded-Prefix',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'X-Forwarded-Uri',
  'X-Original-Url',
  'X-Rewrite-Url',
  'Forwarded',
] as const;

/** CVE-2024-52003: a redirect was built from X-Forwarded-Prefix. */
for (const target of ['/orders/1', '/public/1', '/nowhere', '/.well-known/oauth-protected-resource']) {
  t.test(`advisory 37: no header of the client changes an address in the answer for ${target}`, async (t) => {
    const { send } = await bench(t, { resource });
    const plain = await send({ target });
    for (const name of forged) {
      for (const value of ['//evil.example', name === 'Forwarded' ? 'host=evil.example;proto=https' : 'evil.example']) {
        const response = await send({ target, headers: [[name, value]] });
        t.equal(response.status, plain.status, name);
        t.equal(response.header('www-authenticate'), plain.header('www-authenticate'), name);
        t.equal(response.header('location'), undefined, name);
        // With the dot: `evil` alone is sometimes part of a random ticket.
        t.notMatch(JSON.stringify([response.headers, response.body.toString()]), /evil\.example/i, name);
      }
    }
  });
}
