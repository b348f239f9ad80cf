import { quoted } from '../../base/quoted.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { isAudience } from '../../jwt/claims.ts';
import type { JsonObject } from '../../jwt/json.ts';
import type { Outcome } from '../decide/outcome.ts';
import { audienceMismatch } from '../decide/permit.ts';
import type { Route } from '../decide/route.ts';
import type { Identity } from '../message/identity.ts';
import { identityOf } from '../verify/facts.ts';
import { impliedInWords, neededScopes, scopesInWords } from './explained-words.ts';
import { fails, failsBy, fits, type TokenCheck, unknownToken } from './token-check.ts';

export interface PermitScene {
  readonly server: string | undefined;
  readonly block: AuthorizationServerConfig | undefined;
  readonly route: Route | undefined;
  readonly outcome: Outcome;
}

/**
 * Checks audience and scope against the route's requirements. `claims`: of the token, or of the introspection answer.
 */
export function permitChecks(claims: JsonObject, scene: PermitScene): readonly TokenCheck[] {
  const { server, block, route, outcome } = scene;
  if (!isAudience(claims.aud)) return [fails('aud', quoted(claims.aud), 'a string, or a list of strings')];
  const verified = 'identity' in outcome ? outcome.identity : undefined;
  const source = { issuer: '', server: server ?? '', scopeClaims: block?.scope_claims ?? ['scope'] };
  const identity = verified ?? identityOf(claims, source);
  if (route === undefined || route.access === 'public')
    return [unknownToken('aud', quoted(claims.aud), 'not known: no route that reads tokens applies to this request')];
  return [audienceCheck(identity, server, route), scopeCheck(identity, route)];
}

function audienceCheck({ audience }: Identity, server: string | undefined, { requirements }: Route): TokenCheck {
  const found = quoted(audience);
  if (server === undefined) return unknownToken('aud', found, 'not known: no server is responsible for this issuer');
  const wanted = requirements.audience.get(server);
  const mismatch = audienceMismatch(wanted, audience);
  if (mismatch !== undefined) return failsBy(mismatch);
  return fits('aud', found, wanted === undefined ? 'any: the file requires no audience' : quoted(wanted));
}

function scopeCheck({ scopes }: Identity, { requirements: { scope } }: Route): TokenCheck {
  const held = scopesInWords(scopes);
  if (scope === undefined) return fits('scope', held, 'any');
  const { needed, missing } = neededScopes(scope, scopes);
  if (missing !== '') return fails('scope', held, needed, `missing: ${missing}`);
  return fits('scope', held, needed, impliedInWords(scope, scopes) || undefined);
}
