import { scopeTokenFault } from '../../config/words/scope-words.ts';
import { entriesOf, type Loose, listOr, type OpenApi, objectOr } from './document.ts';
import type { RequiredAccess } from './stricter.ts';

/** The requirements of an operation, in the words of gateway.yaml, with notes on the rest. */
export interface Requirement extends RequiredAccess {
  readonly notes: readonly string[];
}

const SILENT =
  'the document does not mention security for this operation: the route requires a token until you change it; write `access: public` if the operation is public';
const NOTHING_LEFT =
  'the gateway cannot check some requirements of this operation: the route requires only the token or scope below, so check whether this is enough';

/** Reads `security` of the operation, or else of the document. Nothing becomes public unless the document says so. */
export function requirementOf(document: OpenApi, operation: Loose): Requirement {
  const said = operation.security ?? document.root.security;
  if (said === undefined) return { access: 'authenticated', scope: [], notes: [SILENT] };
  const security = listOr(said) ?? [undefined];
  if (security.length === 0) return { access: 'public', scope: [], notes: [] };
  const read = security.map((each) => alternative(document, each));
  const notes = [...new Set(read.flatMap((each) => each.notes))];
  const whole = read.filter((each) => each.isWhole);
  const scopes = (whole.length === 0 ? read : whole).map((each) => each.scopes);
  return { ...judged(security, scopes), notes: whole.length === 0 ? [...notes, NOTHING_LEFT] : notes };
}

function judged(security: readonly unknown[], scopes: readonly (readonly string[])[]): RequiredAccess {
  if (security.some((each) => objectOr(each) !== undefined && entriesOf(each).length === 0))
    return { access: 'optional', scope: [] };
  if (scopes.some((all) => all.length === 0)) return { access: 'authenticated', scope: [] };
  return { access: undefined, scope: [...new Set(scopes.map((all) => all.join(' ')))] };
}

interface Alternative {
  /** False: the alternative requires more than a token, so a token must not be enough. */
  readonly isWhole: boolean;
  readonly scopes: readonly string[];
  readonly notes: readonly string[];
}

/** An alternative requires all its schemes at once. */
function alternative(document: OpenApi, value: unknown): Alternative {
  const schemes = objectOr(value);
  if (schemes === undefined)
    return { isWhole: false, scopes: [], notes: ['not imported: a requirement of an unknown form'] };
  const notes: string[] = [];
  const scopes = new Set<string>();
  for (const [name, wanted] of Object.entries(schemes)) {
    const fault = unfit(document, name) ?? scopeFault(wanted);
    if (fault === undefined) for (const scope of texts(wanted)) scopes.add(scope);
    else notes.push(`not imported: access by ${Object.keys(schemes).join(' and ')}: ${fault}`);
  }
  return { isWhole: notes.length === 0, scopes: [...scopes].sort(), notes };
}

function texts(value: unknown): readonly string[] {
  return (listOr(value) ?? []).map(String);
}

function scopeFault(wanted: unknown): string | undefined {
  if (!Array.isArray(wanted)) return 'its scopes are not a list';
  return texts(wanted)
    .map(scopeTokenFault)
    .find((fault) => fault !== undefined);
}

/** Why the gateway cannot use a scheme; undefined: it accepts the tokens of this scheme. */
function unfit(document: OpenApi, name: string): string | undefined {
  const schemes = objectOr(objectOr(document.root.components)?.securitySchemes) ?? {};
  const scheme = document.follow(Object.hasOwn(schemes, name) ? schemes[name] : undefined);
  if (scheme === undefined) return `${name} is not described in components.securitySchemes`;
  const type = String(scheme.type);
  if (type === 'http') return httpFault(String(scheme.scheme).toLowerCase());
  const kind = kinds.get(type);
  return kind === undefined ? `${name} is of the type ${type}` : kind(name, scheme);
}

function httpFault(scheme: string): string | undefined {
  return scheme === 'bearer' ? undefined : `the HTTP scheme ${scheme} sends no token`;
}

type Fault = (name: string, scheme: Loose) => string | undefined;

const kinds = new Map<string, Fault>([
  ['oauth2', () => undefined],
  ['openIdConnect', () => undefined],
  ['apiKey', (name, { in: place, name: field }) => `${name} is an API key (${String(place)} ${String(field)})`],
  ['mutualTLS', (name) => `${name} is a client certificate`],
]);
