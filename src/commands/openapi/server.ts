import { endpointFaults } from '../../config/words/url-rules.ts';
import { entriesOf, type Loose, listOr, type OpenApi, objectOr } from './document.ts';

/** The URL of the API, if the document has one. */
export interface ImportedServer {
  readonly url: string;
  /** Precedes every path. */
  readonly prefix: string;
  readonly notes: readonly string[];
}

const ELSEWHERE = 'http://127.0.0.1:9000';

/** Takes the first of `servers`. A relative URL depends on the document's own URL, which is unknown. */
export function serverOf({ root }: OpenApi): ImportedServer {
  const servers = (listOr(root.servers) ?? []).map((each) => objectOr(each) ?? {});
  const [first] = servers;
  const text = String(first?.url ?? '/');
  const filled = fillIn(text, first?.variables);
  const url = /^https?:/i.test(filled) ? URL.parse(filled) : null;
  const notes = [
    ...(url === null ? ['the document does not say where the API is'] : []),
    ...(filled === text ? [] : [`variables in the server URL ${text} are replaced with their defaults`]),
    ...servers.slice(1).map((other) => `another server of the document: ${String(other.url)}`),
  ];
  const path = url?.pathname ?? (filled.startsWith('/') ? filled : '/');
  return { url: url?.origin ?? ELSEWHERE, prefix: path.replace(/\/+$/, ''), notes };
}

function fillIn(text: string, variables: unknown): string {
  const known = new Map(entriesOf(variables));
  return text.replace(/\{([^{}]*)\}/g, (_, name: string) =>
    String((known.get(name) as Loose | undefined)?.default ?? name),
  );
}

/** The issuer: a discovery URL tells it, and a token endpoint lets us guess it. */
export function issuerOf(document: OpenApi): { readonly issuer: string; readonly note: string } {
  const schemes = entriesOf(objectOr(document.root.components)?.securitySchemes).map(([, scheme]) =>
    document.follow(scheme),
  );
  const discovery = schemes.map((scheme) => String(scheme?.openIdConnectUrl ?? '')).find(isUrl);
  if (discovery !== undefined) {
    const issuer = discovery.replace(/\/\.well-known\/openid-configuration$/, '');
    return { issuer, note: 'from openIdConnectUrl' };
  }
  const endpoint = schemes
    .flatMap((scheme) => entriesOf(scheme?.flows))
    .map(endpointOf)
    .find(isUrl);
  if (endpoint !== undefined) return { issuer: new URL(endpoint).origin, note: `a guess from ${endpoint}` };
  return { issuer: 'https://auth.example.com', note: 'the document does not say which server issues the tokens' };
}

function endpointOf([, flow]: readonly [string, unknown]): string {
  const { tokenUrl, authorizationUrl } = objectOr(flow) ?? {};
  return String(tokenUrl ?? authorizationUrl ?? '');
}

/** True if the loader would accept the text as an issuer. */
function isUrl(text: string): boolean {
  return !/[?#@]/.test(text) && endpointFaults([], text, false).length === 0;
}
