import { isObject, type JsonObject } from '../../jwt/json.ts';
import { isId } from './received.ts';

/** What a subject identifier names (RFC 9493). All undefined: nothing that tokens of this issuer contain. */
export interface Named {
  readonly session?: string;
  readonly user?: string;
  /** The `jti` of one token. */
  readonly token?: string;
}

/** How the users in events relate to access tokens. */
export interface SubjectRules {
  /** The issuer of the events. */
  readonly issuer: string;
  /** The issuer of access tokens. */
  readonly subjectIssuer: string;
  readonly subjectClaim: string;
}

type Read = (subject: JsonObject, rules: SubjectRules, opaque: 'session' | 'user') => Named;

/** Format → how to read it. Drafts wrote the names with hyphens, in `subject_type`. */
const formats: Readonly<Record<string, Read>> = {
  iss_sub: ({ iss, sub }, rules) => (isOf(iss, rules) && isId(sub) ? { user: sub } : {}),
  jwt_id: ({ iss, jti }, rules) => (isOf(iss, rules) && isId(jti) ? { token: jti } : {}),
  opaque: ({ id }, _rules, opaque) => (isId(id) ? { [opaque]: id } : {}),
  // An address names a user only if access tokens name users by it, too.
  email: ({ email }, { subjectClaim }) => (subjectClaim === 'email' && isId(email) ? { user: email } : {}),
  aliases: ({ identifiers }, rules, opaque) => firstOf(identifiers, rules, opaque),
  complex,
};

/**
 * `opaque`: what an opaque identifier names. Only the kind of the event tells this. Other parts of a complex subject,
 * such as a device, are not in tokens, so all tokens of the user count.
 */
export function namedBy(subject: unknown, rules: SubjectRules, opaque: 'session' | 'user'): Named {
  if (!isObject(subject)) return {};
  const format = formatOf(subject);
  const read = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return read?.(subject, rules, opaque) ?? {};
}

/** The format in its standard spelling, or an empty text. */
export function formatOf({ format, subject_type, ...members }: JsonObject): string {
  const named = format ?? subject_type;
  if (typeof named === 'string') return named.replaceAll('-', '_');
  return isObject(members.user) || isObject(members.session) ? 'complex' : '';
}

function isOf(iss: unknown, { issuer, subjectIssuer }: SubjectRules): boolean {
  return iss === issuer || iss === subjectIssuer;
}

/** Keycloak writes this id next to a user, for all sessions of the user. No session has it. */
const ALL_SESSIONS = 'ALL';

function complex({ user, session }: JsonObject, rules: SubjectRules): Named {
  const named = namedBy(user, rules, 'user');
  const { session: id, ...others } = namedBy(session, rules, 'session');
  return { ...named, ...others, ...(id !== undefined && id !== ALL_SESSIONS && { session: id }) };
}

/** RFC 9493 §3.2.8: all identifiers name the same subject. */
function firstOf(identifiers: unknown, rules: SubjectRules, opaque: 'session' | 'user'): Named {
  if (!Array.isArray(identifiers)) return {};
  const all = identifiers.filter((each) => isObject(each) && formatOf(each) !== 'aliases');
  return all.map((each) => namedBy(each, rules, opaque)).find((each) => Object.keys(each).length > 0) ?? {};
}
