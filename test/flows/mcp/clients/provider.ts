import { randomUUID } from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { callbackPath, clientName, type Registration } from './registration.ts';
import type { Stage } from './stage.ts';

/** What an application tells the SDKs about itself, and what it keeps for them. */
export interface Application extends OAuthClientProvider {
  /** Where the SDK sent the browser. */
  visited(): URL;
}

/** Nothing listens here: the test reads the address at which the browser arrives. */
const callback = `http://127.0.0.1:4711${callbackPath}`;

/** The grants of most applications. */
const usual = ['authorization_code', 'refresh_token'];

const metadata = {
  client_name: clientName,
  redirect_uris: [callback],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
};

export function application(
  { issuer }: Pick<Stage, 'issuer'>,
  registration: Registration,
  grant_types: string[] = usual,
): Application {
  // biome-ignore lint/suspicious/noExplicitAny: each value has the type with which the SDK saved it
  const kept = new Map<string, any>();
  const save = (name: string) => (value: unknown) => void kept.set(name, value);
  const load = (name: string) => () => kept.get(name);
  if (registration.by === 'operator') save('client')({ client_id: registration.id, issuer });
  const state = randomUUID();
  return {
    ...(registration.by === 'document' && { clientMetadataUrl: registration.url }),
    redirectUrl: callback,
    clientMetadata: { ...metadata, grant_types },
    state: () => state,
    clientInformation: load('client'),
    saveClientInformation: save('client'),
    tokens: load('tokens'),
    saveTokens: save('tokens'),
    codeVerifier: load('verifier'),
    saveCodeVerifier: save('verifier'),
    discoveryState: load('discovered'),
    saveDiscoveryState: save('discovered'),
    redirectToAuthorization: save('visited'),
    visited: load('visited'),
  };
}
