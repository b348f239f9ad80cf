import { passwordHash } from '../../running-service.ts';
import { type ClientSite, paths } from './client-site.ts';
import { client, posting, type RegisteredRp, second } from './registered.ts';

export interface Places {
  readonly issuer: string;
  /** The port without TLS. */
  readonly port: number;
  /** The site of the clients. */
  readonly site: Pick<ClientSite, 'url' | 'backChannel'>;
}

/** The configuration file of the provider that is judged. The suite's clients send no PKCE, except in one module. */
export function providerFile(places: Places): string {
  return `
version: 1
issuer: ${places.issuer}
listen: 127.0.0.1:${places.port}
storage: sqlite:gatehouse.db
trusted_proxies: [127.0.0.1/32]
resources: [https://api.example.com]
openid: { enabled: true, acr: { pwd: 'urn:example:password' } }
outbound: { private_addresses: [127.0.0.1/32] }
clients:
${[client, second, posting].map((each) => clientLines(each, places)).join('')}
users: [${JSON.stringify(user)}]
`;
}

function clientLines({ id, secret }: RegisteredRp, { site }: Places): string {
  return `  - client_id: ${id}
    client_name: ${id}
    client_secret: ${secret}
    require_pkce: false
    scope: openid profile email address phone offline_access
    grant_types: [authorization_code, refresh_token]
    redirect_uris: ['${site.url}${paths.callback}']
    post_logout_redirect_uris: ['${site.url}${paths.afterLogout}']
    backchannel_logout_uri: '${site.backChannel}'
    backchannel_logout_session_required: true
`;
}

/** A user with every standard claim (OpenID Connect Core §5.1). */
const user = {
  username: 'alice',
  name: 'Alice Mary Ng',
  password_argon2: passwordHash('wonderland'),
  claims: {
    given_name: 'Alice',
    family_name: 'Ng',
    middle_name: 'Mary',
    nickname: 'Al',
    profile: 'https://people.example.com/alice',
    picture: 'https://people.example.com/alice.png',
    website: 'https://alice.example.com',
    gender: 'female',
    birthdate: '1990-04-01',
    zoneinfo: 'Europe/Berlin',
    locale: 'en-GB',
    updated_at: 1_700_000_000,
    email: 'alice@example.com',
    email_verified: true,
    phone_number: '+49 30 1234',
    phone_number_verified: false,
    address: { street_address: '1 Main Street', locality: 'Berlin', postal_code: '10115', country: 'DE' },
  },
};
