import t from 'tap';
import { run, shop } from '../authorization/running-service.ts';

// CVE-2026-27840: a truncated opaque token was accepted as the whole token.
t.test('advisory 69: a token with one character removed, added or in another case is inactive', async (t) => {
  const service = await run(t);
  for (const client of [shop, { id: 'shop-jwt', secret: shop.secret }]) {
    const token = await service.token({}, client);
    const variants = new Set([...cuts(token), ...appended(token), ...flips(token)]);
    variants.delete(token);
    let active = 0;
    for (const variant of variants) if ((await service.introspect(variant)).active) active++;
    t.equal(active, 0, `${variants.size} variants of a token of ${client.id}`);
    t.equal((await service.introspect(token)).active, true);
  }
});

function* cuts(token: string) {
  for (let at = 0; at < token.length; at++) yield token.slice(0, at) + token.slice(at + 1);
  for (let length = 1; length < token.length; length += 7) yield token.slice(0, length);
}

function* appended(token: string) {
  for (const extra of ['A', '0', '_', '=', '==', ' ', '\n', '\0', '.', '%', '/', token]) {
    yield token + extra;
    yield extra + token;
  }
}

function* flips(token: string) {
  for (let at = 0; at < token.length; at++) {
    const letter = token[at] as string;
    const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    yield token.slice(0, at) + flipped + token.slice(at + 1);
  }
  for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
    yield token.slice(0, -1) + last;
}
