import { idTokenAlgorithms, subjectTypes } from '../../config/words/openid-choices.ts';
import { endpointUrl } from '../http/endpoint.ts';
import { knownClaims } from '../openid/claims.ts';
import type { Service } from '../service/service.ts';

/** OpenID Connect Discovery §3: what an OpenID Provider adds to the metadata of RFC 8414. */
export function providerMetadata({ config }: Service): object {
  const { issuer, openid } = config;
  const { pwd } = openid.acr;
  return {
    userinfo_endpoint: endpointUrl(issuer, '/oauth2/userinfo'),
    end_session_endpoint: endpointUrl(issuer, '/oauth2/logout'),
    subject_types_supported: subjectTypes,
    id_token_signing_alg_values_supported: idTokenAlgorithms,
    userinfo_signing_alg_values_supported: idTokenAlgorithms,
    ...(pwd !== undefined && { acr_values_supported: [pwd] }),
    claim_types_supported: ['normal'],
    claims_supported: [...ownClaims, ...knownClaims(config)],
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    display_values_supported: ['page'],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  };
}

const ownClaims = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'azp', 'at_hash', 'sid'];
