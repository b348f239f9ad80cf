import * as Type from 'typebox';
import { Errors } from 'typebox/schema';

/** Characters of a body. The YAML of a question is the longest part. */
export const LARGEST_BODY = 1024 * 1024;

const text = (most: number, least = 0) => Type.String({ minLength: least, maxLength: most });

/** `POST /api/explain`. */
export const QuestionSchema = Type.Object(
  {
    method: text(64, 1),
    /** A path, or a URL with a host. */
    url: text(16_384, 1),
    headers: Type.Optional(Type.Array(Type.Tuple([text(256, 1), text(16_384)]), { maxItems: 200 })),
    /** A bearer token to verify. Without it, `scope` and `claims` assume a token, and `user` assumes a user. */
    token: Type.Optional(text(65_536, 1)),
    scope: Type.Optional(text(16_384)),
    claims: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    user: Type.Optional(text(1_024, 1)),
    /** The operation of the message, such as `tools/call delete_user`. */
    mcp: Type.Optional(text(1_024, 1)),
    /** Another file than the running one. */
    yaml: Type.Optional(text(LARGEST_BODY)),
  },
  { additionalProperties: false },
);

/** `POST /api/check`. */
export const CheckSchema = Type.Object({ yaml: text(LARGEST_BODY) }, { additionalProperties: false });

/** `POST /api/token`. */
export const TokenSchema = Type.Object({ token: text(65_536, 1) }, { additionalProperties: false });

/** `POST /api/remedy`: a decision as the live view shows it. */
export const RecordSchema = Type.Object(
  { record: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: false },
);

/** `POST /api/ticket`. */
export const TicketSchema = Type.Object({ ticket: text(16_384, 1) }, { additionalProperties: false });

export type BodyResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: string };

/** Judges a body. A fault never repeats a value, because a value may be a token. */
export function readBody<Schema extends Type.TSchema>(schema: Schema, body: unknown): BodyResult<Type.Static<Schema>> {
  const [isValid, errors] = Errors(schema, body);
  if (isValid) return { ok: true, value: body as Type.Static<Schema> };
  const [first] = errors;
  const place = first?.instancePath.slice(1).replaceAll('/', '.') || 'the body';
  // The library's words for a key that the schema does not have.
  const message = first?.message === 'schema is false' ? 'is not known' : (first?.message ?? 'is invalid');
  return { ok: false, fault: `\`${place}\` ${message}` };
}
