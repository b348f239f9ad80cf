import t from 'tap';
import { apr1 } from '../../../src/gateway/schemes/apr1.ts';

t.test(
  "apr1 equals the output of Apache 2.4's htpasswd and openssl passwd -apr1, at every length of password",
  async (t) => {
    const written: readonly (readonly [password: string, hash: string])[] = [
      ['x', '$apr1$abcdefgh$82JubPF2dQkt1tVfvLnXS.'],
      ['xy', '$apr1$12345678$Z5SBS.eHtQk/JLkIbBfKA.'],
      ['seven 7', '$apr1$a$sj1eupOB0JIBNuZtvFj9C.'],
      ['sixteen octets!!', '$apr1$saltsalt$L0gDd0QYrjFwKnI8G7Z10.'],
      ['seventeen octets!', '$apr1$saltsalt$PuHgQ7WFTiW4lbYQh.LFB.'],
      ['thirty-two octets, exactly that!', '$apr1$zzzzzzzz$UAMDvOcXRILdFDgPZ/zCd0'],
      ['a password that is longer than thirty-two octets, by far', '$apr1$./AZaz09$NhLVcYQ7a2tosCQHwTX5y.'],
    ];
    for (const [password, hash] of written) {
      const [, , salt = '', digest] = hash.split('$');
      t.equal(apr1(Buffer.from(password), salt), digest, password);
    }
  },
);
