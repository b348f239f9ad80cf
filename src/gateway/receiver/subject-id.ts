import { isObject, type JsonObject } from '../../jwt/json.ts';
import { isId } from './received.ts';

/** What a subject identifier names (RFC 9493). All undefined: nothing that tokens of this issuer contain. */
export interface Named {
  readonly session?: string;
  readonly user?: string;
  /** The `jti` of one token. */
  readonly token?: string;
}

type Read = (subject: JsonObject, issuer: string, opaque: 'session' | 'user') => Named;

/** Format → how to read it. Drafts wrote the names with hyphens, in `subject_type`. */
const formats: Readonly<Record<string, Read>> = {
  iss_sub: ({ iss, sub }, issuer) => (iss === issuer && isId(sub) ? { user: sub } : {}),
  jwt_id: ({ iss, jti }, issuer) => (iss === issuer && isId(jti) ? { token: jti } : {}),
  opaque: ({ id }, _issuer, opaque) => (isId(id) ? { [opaque]: id } : {}),
  aliases: ({ identifiers }, issuer, opaque) => firstOf(identifiers, issuer, opaque),
  complex,
};

/**
 * `opaque`: what an opaque identifier names. Only the kind of the event tells this. Other parts of a complex subject,
 * such as a device, are not in tokens, so all tokens of the user count.
 */
export function namedBy(subject: unknown, issuer: string, opaque: 'session' | 'user'): Named {
  if (!isObject(subject)) return {};
  const format = formatOf(subject);
  const read = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return read?.(subject, issuer, opaque) ?? {};
}

/** The format in its standard spelling, or an empty text. */
export function formatOf({ format, subject_type, ...members }: JsonObject): string {
  const named = format ?? subject_type;
  if (typeof named === 'string') return named.replaceAll('-', '_');
  return isObject(members.user) || isObject(members.session) ? 'complex' : '';
}

function complex({ user, session }: JsonObject, issuer: string): Named {
  return { ...namedBy(user, issuer, 'user'), ...namedBy(session, issuer, 'session') };
}

/** RFC 9493 §3.2.8: all identifiers name the same subject. */
function firstOf(identifiers: unknown, issuer: string, opaque: 'session' | 'user'): Named {
  if (!Array.isArray(identifiers)) return {};
  const all = identifiers.filter((each) => isObject(each) && formatOf(each) !== 'aliases');
  return all.map((each) => namedBy(each, issuer, opaque)).find((each) => Object.keys(each).length > 0) ?? {};
}
