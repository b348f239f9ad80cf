import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../base/secret.ts';

/** A JSON document that anyone may cache, for five minutes by default, and then revalidate (RFC 9110 §13.1.2). */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: object,
  caching = 'public, max-age=300',
): FastifyReply {
  const body = JSON.stringify(document);
  const etag = `"${sha256(body).toString('base64url')}"`;
  reply.removeHeader('pragma').headers({ 'cache-control': caching, etag });
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(body);
}

function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === '*' || condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
