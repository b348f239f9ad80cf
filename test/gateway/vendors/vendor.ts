import type { Test } from 'tap';
import { metadata } from '../../../src/gateway/server-client/metadata.ts';
import { filesIn, type Values } from '../../docs/cookbook.ts';
import { sign } from '../../jwt/tokens.ts';
import { endpoint, json } from '../../support/endpoint.ts';
import { gateway } from '../../support/gateway.ts';
import { signingKey } from '../../support/keys.ts';
import { ask } from '../../support/raw-client.ts';
import { bearer, requestText } from '../../support/request-text.ts';
import { type Witness, witness } from '../../support/witness.ts';
import { heldClock } from '../issuer.ts';

export interface Vendor {
  readonly upstream: Witness;
  /** The result of a request with a token with these claims: 200, or the code of the refusal. */
  get(claims: object, header?: object): Promise<number | string>;
}

export const now = Math.floor(Date.now() / 1000);
export const lifetime = { iat: now, nbf: now, exp: now + 3600 };

/**
 * A gateway from the cookbook's YAML for this vendor: the n-th block of the page, where only the addresses of the keys,
 * the listener and the upstream are replaced by addresses of this machine.
 */
export async function vendor(t: Test, page: string, block = 0): Promise<Vendor> {
  const upstream = await witness(t);
  const { jwk } = await signingKey('RS256');
  const keys = await endpoint(t, (_request, response) => json(response, { keys: [jwk] }));
  const values = structuredClone(filesIn(page)[block]?.values);
  onlyServer(values).jwks_uri = `${keys.url}/keys`;
  values.upstreams.orders.url = upstream.url;
  const { port } = await gateway(t, { ...values, listen: '127.0.0.1:0' });
  return {
    upstream,
    async get(claims, header = { typ: 'JWT' }) {
      const token = await sign(claims, { alg: 'RS256', header });
      const answer = await ask(port, requestText({ target: '/orders/1', headers: [bearer(token)] }));
      return answer.status === 200 ? 200 : JSON.parse(answer.body.toString()).code;
    },
  };
}

function onlyServer(values: Values): Values {
  return Object.values(values.authorization_servers)[0];
}

/** Where the keys of the page's issuer are found if this document is at this address, and nothing is elsewhere. */
export async function keysBy(page: string, address: string, document: object): Promise<unknown> {
  const { issuer } = onlyServer(filesIn(page)[0]?.values);
  const found = metadata({
    issuer,
    development: false,
    clock: heldClock(),
    ttl: 1000,
    fetch: async ({ url }) =>
      url === address
        ? { kind: 'json', value: document as Record<string, unknown> }
        : { kind: 'failed', detail: 'status 404', status: 404 },
  });
  return found.endpoint('jwks_uri');
}
