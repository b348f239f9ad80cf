import type { Judge } from '../judge.ts';
import { lists, type Metadata } from '../party.ts';

/** OpenID Connect Discovery §3, §4.2, without the content type and the keys. */
export function checkMetadata(judge: Judge, metadata: Metadata, issuer: string): void {
  checkIssuer(judge, metadata, issuer);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
    judge.must(metadata[name] !== undefined, `the metadata has ${name}`);
  judge.should(metadata.userinfo_endpoint !== undefined, 'the metadata has userinfo_endpoint');
  checkAddresses(judge, metadata);
  checkLists(judge, metadata);
  checkFlags(judge, metadata);
  checkLocales(judge, metadata);
}

function checkIssuer(judge: Judge, metadata: Metadata, issuer: string): void {
  judge.must(metadata.issuer === issuer, 'issuer equals the address of the metadata', metadata.issuer);
  const url = URL.parse(String(metadata.issuer));
  const isPlain = url?.protocol === 'https:' && url.search === '' && url.hash === '';
  judge.must(isPlain, 'issuer is an https URL without a query and a fragment', metadata.issuer);
}

/** Every address of the provider uses https. */
export function checkAddresses(judge: Judge, metadata: Metadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (!/_(endpoint|uri)$/.test(name)) continue;
    const url = typeof value === 'string' ? URL.parse(value) : null;
    judge.must(url?.protocol === 'https:' && url.hash === '', `${name} is an https URL`, value);
  }
}

/** Member → the values that a provider of the basic profile must list. */
const required: Readonly<Record<string, readonly string[]>> = {
  response_types_supported: ['code'],
  subject_types_supported: [],
  id_token_signing_alg_values_supported: ['RS256'],
};

const optional = [
  'scopes_supported',
  'response_modes_supported',
  'grant_types_supported',
  'acr_values_supported',
  'userinfo_signing_alg_values_supported',
  'request_object_signing_alg_values_supported',
  'token_endpoint_auth_methods_supported',
  'display_values_supported',
  'claim_types_supported',
  'claims_supported',
  'claims_locales_supported',
  'ui_locales_supported',
  'code_challenge_methods_supported',
  'prompt_values_supported',
];

/** Lists are not empty (OpenID Connect Discovery §4.2), and have the mandatory values. */
function checkLists(judge: Judge, metadata: Metadata): void {
  for (const [name, values] of Object.entries(required)) {
    judge.must(isList(metadata[name]), `${name} is a list of texts`, metadata[name]);
    for (const value of values) judge.must(lists(metadata, name, value), `${name} has ${value}`, metadata[name]);
  }
  for (const name of optional)
    judge.must(metadata[name] === undefined || isList(metadata[name]), `${name} is a list of texts`, metadata[name]);
  const kinds = metadata.subject_types_supported;
  const isKnown = Array.isArray(kinds) && kinds.every((kind) => kind === 'public' || kind === 'pairwise');
  judge.must(isKnown, 'subject_types_supported has only public and pairwise', kinds);
  judge.must(lists(metadata, 'scopes_supported', 'openid'), 'scopes_supported has openid', metadata.scopes_supported);
  checkScopes(judge, metadata.scopes_supported);
  judge.should(metadata.claims_supported !== undefined, 'the metadata has claims_supported');
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && item !== '');
}

/** RFC 6749 §3.3. */
function checkScopes(judge: Judge, scopes: unknown): void {
  const isWord = (scope: unknown) => typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
  judge.must(Array.isArray(scopes) && scopes.every(isWord), 'each scope is a scope token', scopes);
}

const flags = [
  'claims_parameter_supported',
  'request_parameter_supported',
  'request_uri_parameter_supported',
  'require_request_uri_registration',
  'authorization_response_iss_parameter_supported',
  'backchannel_logout_supported',
  'backchannel_logout_session_supported',
];

function checkFlags(judge: Judge, metadata: Metadata): void {
  for (const name of flags)
    judge.must(['undefined', 'boolean'].includes(typeof metadata[name]), `${name} is true or false`, metadata[name]);
  const algs = metadata.request_object_signing_alg_values_supported;
  if (algs !== undefined)
    judge.should(
      lists(metadata, 'request_object_signing_alg_values_supported', 'RS256'),
      'request objects may use RS256',
      algs,
    );
}

/** BCP 47, in the canonical case. */
function checkLocales(judge: Judge, metadata: Metadata): void {
  for (const name of ['ui_locales_supported', 'claims_locales_supported'])
    for (const locale of Array.isArray(metadata[name]) ? metadata[name] : []) {
      const canonical = canonicalLocale(String(locale));
      judge.must(canonical !== undefined, `${name} has language tags`, locale);
      judge.should(canonical === locale, `${name} has language tags in canonical case`, locale);
    }
}

function canonicalLocale(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}
