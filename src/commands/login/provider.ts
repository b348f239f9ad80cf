import { difference } from '../../base/near-miss.ts';
import { quoted } from '../../base/quoted.ts';
import { isLoopback } from '../../config/words/host.ts';
import { parseUrl } from '../../config/words/url-rules.ts';
import type { FailedFetch, FetchedJson, FetchJson } from '../../gateway/server-client/fetch-json.ts';
import { FETCH_DEADLINE } from '../../gateway/server-client/fetch-json.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { metadataUrls } from '../../oauth/metadata.ts';
import { LoginFailure } from './failure.ts';

/** The parts of an authorization server that a login uses, from its metadata. */
export interface Provider {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly keysUrl: string | undefined;
  readonly userinfoEndpoint: string | undefined;
  /** The server promises `iss` in each answer (RFC 9207 §3). */
  readonly sendsIssuer: boolean;
  /** RFC 8414 §2: the default is Basic. */
  readonly secretMethods: readonly string[];
  /** Undefined: the metadata do not say. */
  readonly idTokenAlgorithms: readonly string[] | undefined;
}

/** Reads the metadata, and checks that they belong to this issuer (RFC 8414 §3.3, OpenID Connect Discovery §4.3). */
export async function findProvider(issuer: string, fetch: FetchJson): Promise<Provider> {
  if (!isProtected(issuer))
    throw new LoginFailure(
      `--issuer ${quoted(issuer)}: write the whole https URL of the authorization server; http is allowed only for a server on this machine`,
    );
  const { url, value } = await readMetadata(issuer, fetch);
  if (value.issuer !== issuer) throw new LoginFailure(ofAnother(issuer, value.issuer, url));
  return providerOf(issuer, value, url);
}

interface FoundMetadata {
  readonly url: string;
  readonly value: JsonObject;
}

/** An OpenID Provider may say more in its own document, so this document comes first. */
async function readMetadata(issuer: string, fetch: FetchJson): Promise<FoundMetadata> {
  const signal = AbortSignal.timeout(FETCH_DEADLINE);
  const urls = metadataUrls(issuer).toReversed();
  for (const url of urls) {
    const fetched: FetchedJson | FailedFetch = await fetch({ url, signal });
    if (fetched.kind === 'json') return { url, value: fetched.value };
    if (fetched.status === undefined)
      throw new LoginFailure(
        `${url}: ${fetched.detail}: check that the authorization server runs, and that this machine reaches it`,
      );
  }
  throw new LoginFailure(
    `${quoted(issuer)} has no metadata at ${urls.join(' or ')}: write --issuer exactly as the \`iss\` of its tokens`,
  );
}

function ofAnother(issuer: string, found: unknown, url: string): string {
  const differs = difference(found, [issuer]);
  const detail = differs === undefined ? '' : `, which ${differs}`;
  return `the metadata of ${url} belong to the issuer ${quoted(found)}${detail}: if you trust this issuer, write it as --issuer`;
}

function providerOf(issuer: string, document: JsonObject, url: string): Provider {
  return {
    issuer,
    authorizationEndpoint: required(document, 'authorization_endpoint', url),
    tokenEndpoint: required(document, 'token_endpoint', url),
    keysUrl: endpointIn(document, 'jwks_uri', url),
    userinfoEndpoint: endpointIn(document, 'userinfo_endpoint', url),
    sendsIssuer: document.authorization_response_iss_parameter_supported === true,
    secretMethods: textsIn(document, 'token_endpoint_auth_methods_supported') ?? ['client_secret_basic'],
    idTokenAlgorithms: textsIn(document, 'id_token_signing_alg_values_supported'),
  };
}

function required(document: JsonObject, member: string, url: string): string {
  const endpoint = endpointIn(document, member, url);
  if (endpoint !== undefined) return endpoint;
  throw new LoginFailure(
    `the metadata of ${url} have no ${member}: no client of this server may use \`authorization_code\`, or this is not an authorization server`,
  );
}

function endpointIn(document: JsonObject, member: string, url: string): string | undefined {
  const endpoint = document[member];
  if (endpoint === undefined) return undefined;
  if (typeof endpoint === 'string' && isProtected(endpoint)) return endpoint;
  throw new LoginFailure(
    `the metadata of ${url} have the ${member} ${quoted(endpoint)}: others can read requests to this URL, so the server must name an https URL`,
  );
}

/** The code and the token must not pass between machines in the clear. */
function isProtected(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function textsIn(document: JsonObject, member: string): readonly string[] | undefined {
  const texts = document[member];
  return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : undefined;
}
