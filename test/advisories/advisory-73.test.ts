import t from 'tap';
import { basic, gateway, run, shop } from '../authorization/running-service.ts';

// CVE-2026-33504: SQL in a parameter reached a statement.
const openings = ["'", '"', "')", "'))", '`', ';', '\\', '%27', '\u02bc', "1'"];
const continuations = [
  ' OR 1=1 --',
  " OR '1'='1",
  '; DROP TABLE access_token; --',
  ' UNION SELECT * FROM signing_key --',
  ' AND (SELECT count(*) FROM access_token) > 0 --',
  "; ATTACH DATABASE '/tmp/x' AS x; --",
  ' || (SELECT private_key FROM signing_key) || ',
  '; PRAGMA writable_schema = 1; --',
  '; DELETE FROM denied_jwt; --',
  ' OR randomblob(1000000000) --',
  '/**/OR/**/1=1',
  "; UPDATE access_token SET client_id = 'other'; --",
  " LIKE '%",
  " GLOB '*",
  ' IS NOT NULL --',
  ' ORDER BY 1 --',
  ' LIMIT 1 OFFSET 1 --',
  '; VACUUM; --',
  ' COLLATE NOCASE --',
  '\0 OR 1=1',
];
const payloads = openings.flatMap((opening) => continuations.map((rest) => opening + rest));

t.test('advisory 73: SQL in any parameter is only text', async (t) => {
  const service = await run(t, { config: { login: { max_failures: 1_000_000, window: 1000 } } });
  const token = await service.token();
  t.equal(payloads.length, 200);
  for (const payload of payloads) {
    const asked = await Promise.all([
      service.post('/oauth2/introspect', { token: payload, token_type_hint: payload }, basic(gateway)),
      service.post('/oauth2/introspect', { token: token + payload }, basic(gateway)),
      service.post('/oauth2/revoke', { token: payload }, basic(shop)),
      service.post('/oauth2/token', { grant_type: payload }, basic(shop)),
      service.post('/oauth2/token', { grant_type: 'client_credentials', scope: payload }, basic(shop)),
      service.post('/oauth2/token', { grant_type: 'client_credentials', resource: payload }, basic(shop)),
      service.post('/oauth2/token', { grant_type: 'client_credentials', client_id: payload, client_secret: payload }),
      service.post('/oauth2/token', { grant_type: 'client_credentials' }, basic({ id: payload, secret: payload })),
    ]);
    t.strictSame(
      asked.map(({ status }) => status),
      [200, 200, 200, 400, 400, 400, 401, 401],
      JSON.stringify(payload),
    );
    for (const response of asked.slice(0, 2)) t.equal(await response.text(), '{"active":false}');
  }
  t.equal((await service.introspect(token)).active, true, 'nothing was dropped, revoked or given away');
});
