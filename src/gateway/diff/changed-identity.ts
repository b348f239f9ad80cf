import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { identityHeaders } from '../decide/identity-headers.ts';

/** Routes whose callers can now write a header that an upstream trusts, and the names of these headers. */
export function changedIdentity(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const before = new Map(identitiesOf(old));
  const byChange = Map.groupBy(identitiesOf(now), ([id, identity]) => {
    const earlier = before.get(id);
    return earlier === undefined ? '' : openedTo(earlier, identity).join(', ');
  });
  return [...byChange].flatMap(([names, routes]) =>
    names === '' ? [] : [`identity_headers of ${inShort(routes.map(([id]) => id))}: callers can now send ${names}`],
  );
}

type Identity = GatewayConfig['defaults']['identity_headers'];

function identitiesOf({ routes, defaults }: GatewayConfig) {
  return routes.map(({ id, identity_headers = defaults.identity_headers }) => [id, identity_headers] as const);
}

/** Names that the gateway set, and the prefix that it dropped, if it no longer removes them from a caller's request. */
function openedTo({ set, prefix }: Identity, now: Identity): readonly string[] {
  const { spoofs } = identityHeaders(now);
  const names = Object.keys(set).filter((name) => !spoofs(name.toLowerCase()));
  const isPrefixOpen = !spoofs(`${prefix}anything`.toLowerCase());
  return isPrefixOpen ? [...names, `other ${prefix}…`] : names;
}

const SHOWN = 3;

function inShort(ids: readonly string[]): string {
  const rest = ids.length - SHOWN;
  return rest > 0 ? `${ids.slice(0, SHOWN).join(', ')} and ${rest} more` : ids.join(', ');
}
