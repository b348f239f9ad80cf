import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import { CLIENT_CERT, isCertificateHeader } from '../../config/words/certificate-headers.ts';
import {
  type DroppedHeaderRules,
  type IdentityHeaders,
  identityHeaders,
  type OnlySet,
} from '../decide/identity-headers.ts';
import { ofNeighbours } from './neighbours.ts';
import { oncePerInput } from './once-per-input.ts';
import { inShadowMode } from './shadow-mode.ts';

/**
 * The identity headers of each route, with the headers that the route drops because other routes to its upstream set them.
 * Routes with equal settings share one object.
 */
export function identityHeadersOf(config: GatewayConfig): (route: RouteConfig) => IdentityHeaders {
  const { defaults, request_id } = config;
  const onlyLooksOn = inShadowMode(config);
  const onlySet = onlySetBy(config);
  const also = ofNeighbours(config);
  const make = oncePerInput(
    ({ identity_headers, ...passes }: DroppedHeaderRules & Pick<Defaults, 'identity_headers'>) =>
      identityHeaders(identity_headers, { requestId: request_id.header, ...passes }),
  );
  return (route) => {
    const { identity_headers = defaults.identity_headers, pass_headers = defaults.pass_headers } = route;
    const rules = { identity_headers, ...passesOf(pass_headers), also: also(route) };
    return make(onlyLooksOn(route) ? { ...rules, onlySet } : rules);
  };
}

type Defaults = GatewayConfig['defaults'];

type Passes = Pick<DroppedHeaderRules, 'passed' | 'passedFromProxies'>;

/** Only the proxy knows its client's address. A client could send any address. */
function passesOf(names: Defaults['pass_headers']): Passes {
  const passed = names.filter((name) => !isCertificateHeader(name));
  return passed.length === names.length ? { passed } : { passed, passedFromProxies: names };
}

/**
 * If clients show their certificates to this listener, the fields of RFC 9440 belong to the gateway, even in shadow
 * mode (§2.4).
 */
function onlySetBy({ listen }: GatewayConfig): OnlySet {
  const isShownHere = listen.tls !== undefined && listen.tls.client_auth !== 'none';
  return { certificates: isShownHere ? [CLIENT_CERT] : [] };
}
