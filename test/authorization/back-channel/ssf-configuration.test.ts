import t from 'tap';
import { run } from '../running-service.ts';
import { receiving } from '../security-events/receiver.ts';

const security = receiving({ url: 'https://crm.example.com/events' });

t.test('the metadata of the transmitter have only members that are true', async (t) => {
  const service = await run(t, { config: security });
  const response = await fetch(`${service.url}/.well-known/ssf-configuration`);
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  t.strictSame(await response.json(), {
    spec_version: '1_0',
    issuer: 'http://localhost:8081',
    jwks_uri: 'http://localhost:8081/oauth2/jwks',
    delivery_methods_supported: ['urn:ietf:rfc:8935'],
    default_subjects: 'ALL',
  });
});

t.test('the well-known part comes before the path of the issuer', async (t) => {
  const service = await run(t, { config: { ...security, issuer: 'https://auth.example.com/tenant' } });
  const response = await fetch(`${service.url}/.well-known/ssf-configuration/tenant`);
  t.match(await response.json(), {
    issuer: 'https://auth.example.com/tenant',
    jwks_uri: 'https://auth.example.com/tenant/oauth2/jwks',
  });
  t.equal((await fetch(`${service.url}/.well-known/ssf-configuration`)).status, 404);
});

t.test('without receivers there are no such metadata', async (t) => {
  const service = await run(t);
  t.equal((await fetch(`${service.url}/.well-known/ssf-configuration`)).status, 404);
});
