import type { FastifyRequest } from 'fastify';
import { type JsonObject, parseJsonObject } from '../../jwt/json.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { formFieldLines } from './form.ts';

const jsonMediaType = /^application\/json[ \t]*(;[ \t]*charset=("?)utf-8\2[ \t]*)?$/i;

/** Checks the complete header before the body is read. */
export function jsonFault({ raw }: FastifyRequest): OAuthError | undefined {
  const types = formFieldLines(raw, 'content-type');
  const isJson = types.length === 1 && jsonMediaType.test(types[0] as string);
  if (isJson && formFieldLines(raw, 'content-encoding').length === 0) return undefined;
  return new OAuthError('invalid_request', { description: 'The body must be application/json.' });
}

/** One object, in which each name occurs once. */
export function readJson({ body }: FastifyRequest): JsonObject {
  const said = Buffer.isBuffer(body) ? parseJsonObject(body) : undefined;
  if (said !== undefined) return said;
  const description = 'The body is not one JSON object in UTF-8, or an object in it repeats a name.';
  throw new OAuthError('invalid_client_metadata', { description });
}
