import t from 'tap';
import { postgresServer, skipWithoutPostgres as skip } from '../../support/postgres.ts';
import { run } from '../running-service.ts';
import { asserted, claims, keyed, signer } from './assertions.ts';

/** Starts PostgreSQL: 20 s on a busy machine. */
t.setTimeout(120_000);

t.test('an assertion works once over all nodes', { skip }, async (t) => {
  const server = await postgresServer(t);
  const { sign, jwks } = await signer();
  const config = {
    ...keyed(jwks),
    storage: await server.database(),
    encryption_keys: [Buffer.alloc(32, 7).toString('base64')],
  };
  const nodes = [await run(t, { config }), await run(t, { config })] as const;
  for (let round = 0; round < 5; round++) {
    const form = { grant_type: 'client_credentials', ...asserted(await sign(claims('signer'))) };
    const answers = await Promise.all([...nodes, ...nodes].map((node) => node.post('/oauth2/token', form)));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
  }
});
