import t from 'tap';
import { allButAdmin, bench } from './bench.ts';

/** RFC 3986 §2.2, and the percent sign and the backslash, which programs read differently. */
const reserved = [...":/?#[]@!$&'()*+,;=%\\"];

function encodings(character: string): string[] {
  const hex = character.charCodeAt(0).toString(16);
  return [`%${hex}`, `%${hex.toUpperCase()}`];
}

/** CVE-2025-66490: one part of the program decoded reserved characters in the path, the other did not. */
t.test(
  'advisory 21: the gateway never guesses the meaning of an encoded reserved character: /admin stays closed, the rest arrives as sent',
  async (t) => {
    const { send, upstream } = await bench(t, { routes: allButAdmin });
    for (const encoded of reserved.flatMap(encodings)) {
      for (const target of [`/admin/${encoded}`, `/admin/a${encoded}b`, `/%61dmin/${encoded}`])
        t.ok([400, 401].includes((await send({ target })).status), target);
      t.equal(upstream.seen.length, 0, encoded);
      const target = `/a${encoded}b/c`;
      const { status } = await send({ target });
      t.equal(status, /%(2f|3b|5c)/i.test(encoded) ? 400 : 200, target);
      t.equal(upstream.seen.pop()?.target, status === 200 ? target : undefined);
    }
  },
);
