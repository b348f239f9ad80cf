import type { Route } from '../decide/route.ts';
import type { Call } from '../mcp/call.ts';
import { isMirrored } from '../mcp/revisions.ts';
import type { Code } from '../message/codes.ts';
import { type RequestHead, valuesOf } from '../message/request-head.ts';
import type { RefusedMessage } from './problem-response.ts';

interface Refusal {
  readonly code: Code;
  readonly call?: Call | undefined;
  readonly route?: Route | undefined;
  readonly detail?: string | undefined;
}

/** Undefined: the answer is a problem document, because the gateway read no request or the client reads no JSON. */
export function refusedMessage(head: RequestHead, refusal: Refusal): RefusedMessage | undefined {
  const { call, code, route, detail } = refusal;
  if (call === undefined || !readsJson(head)) return undefined;
  // Only with this code: the error of a request without valid credentials would tell a stranger about the message.
  if (code === 'mcp_message_invalid' && call.error !== undefined) return { id: call.id ?? null, error: call.error };
  if (call.id === undefined) return undefined;
  if (code !== 'mcp_version_unsupported') return { id: call.id };
  return { id: call.id, data: { supported: supportedFor(detail, route?.mcp?.versions ?? []), requested: detail } };
}

/** A client of a new revision names one in each request. An older revision is agreed on by `initialize` alone. */
function supportedFor(requested: string | undefined, versions: readonly string[]): readonly string[] {
  const ofKind = versions.filter((version) => isMirrored(version) === isMirrored(requested));
  return ofKind.length === 0 ? versions : ofKind;
}

function readsJson(head: RequestHead): boolean {
  return valuesOf(head, 'accept').some((value) => JSON_TYPE.test(value));
}

const JSON_TYPE = /(?:^|,)[ \t]*(?:application\/(?:json|\*)|\*\/\*)[ \t]*(?:[;,]|$)/i;
