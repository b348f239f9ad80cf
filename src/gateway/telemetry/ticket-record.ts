import { hash } from 'node:crypto';
import { printableValue } from '../../base/printable.ts';
import { stepOf } from '../message/codes.ts';
import { alternativeTexts } from '../message/scope-requirement.ts';
import { operationText } from './call-facts.ts';
import { type Decision, missingScope } from './decision-record.ts';
import { pathOf } from './without-tokens.ts';

/** The members of a ticket, in their written order. A list is half as long as an object. */
const members = [
  'time',
  'request_id',
  'method',
  'host',
  'path',
  'route',
  'at',
  'step',
  'code',
  'reason',
  'scope_missing',
  'cache',
  'subject_hash',
  'client',
  'scope_held',
  'scope_needed',
  'claim',
  'found',
  'expected',
  'difference',
  'operation',
] as const;

/** All known members. `time` is ISO 8601. */
export type TicketRecord = Partial<Record<(typeof members)[number], string>>;

/** Characters of one member. A long path must not cause a long answer. */
const LONGEST = 256;
/** Characters of values that the authorization server chose, not the client. */
const LONGEST_NAME = 100;

/**
 * `now`: wall clock, milliseconds. A record never contains a token: the path has no query, and the subject is hashed.
 */
export function writeTicketRecord({ code, outcome, head, requestId, detail }: Decision, now: number): string {
  const route = outcome?.route;
  const identity = outcome !== undefined && 'identity' in outcome ? outcome.identity : undefined;
  return JSON.stringify([
    now,
    clip(requestId),
    clip(head.method),
    clip(head.host?.value),
    clip(pathOf(head)),
    clip(route?.id),
    clip(route?.at),
    stepOf(code),
    code,
    clip(detail ?? reasonOf(outcome)),
    clip(missingScope(code, route, identity)),
    outcome !== undefined && 'cache' in outcome ? outcome.cache : undefined,
    ticketSubjectHash(identity?.subject),
    clip(identity?.clientId, LONGEST_NAME),
    ...scopeMembers(outcome),
    ...lastMembers(outcome),
  ]);
}

/** The token's scopes, and each alternative of the required scopes. */
function scopeMembers(outcome: Decision['outcome']): readonly (string | undefined)[] {
  if (outcome?.kind !== 'refuse' || outcome.code !== 'scope_insufficient') return [undefined, undefined];
  const { route, identity } = outcome;
  const needed = route?.requirements.scope && alternativeTexts(route.requirements.scope).join(', or ');
  return [clip([...(identity?.scopes ?? [])].join(' '), LONGEST_NAME), clip(needed, LONGEST_NAME)];
}

/** Most refusals have no mismatch and no message. Their tickets need no space for these members. */
function lastMembers(outcome: Decision['outcome']): readonly (string | undefined)[] {
  const operation = clip(operationText(outcome));
  const mismatch = outcome?.kind === 'refuse' ? outcome.mismatch : undefined;
  if (mismatch === undefined) return operation === undefined ? [] : [...NO_MISMATCH, operation];
  const { claim, found, expected, difference } = mismatch;
  const members = [clip(claim, LONGEST_NAME), clip(found), clip(expected), clip(difference)];
  return operation === undefined ? members : [...members, operation];
}

const NO_MISMATCH = [undefined, undefined, undefined, undefined];

/** For bytes that never became a request. */
export function writeMalformedRecord(code: Decision['code'], now: number): string {
  return JSON.stringify([now, '', '', '', '', '', '', stepOf(code), code]);
}

/** Undefined: another program wrote this text. */
export function readTicketRecord(text: string): TicketRecord | undefined {
  const values = parseList(text);
  const [now] = values ?? [];
  if (values === undefined || typeof now !== 'number') return undefined;
  const told = members.map((name, index) => [name, index === 0 ? new Date(now).toISOString() : values[index]] as const);
  return Object.fromEntries(told.filter(([, value]) => typeof value === 'string' && value !== ''));
}

/** Reads the same record from the admin listener. Undefined: it is not a record. */
export function pickTicketRecord(value: unknown): TicketRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const told = new Map<string, unknown>(Object.entries(value));
  const known = members.map((name) => [name, told.get(name)] as const);
  const record = Object.fromEntries(known.filter(([, text]) => typeof text === 'string'));
  return 'time' in record && 'code' in record ? record : undefined;
}

/** An operator can only compare it with the hash of a suspected subject. */
export function ticketSubjectHash(subject: string | undefined): string | undefined {
  return subject === undefined ? undefined : hash('sha256', subject, 'base64url').slice(0, 16);
}

function reasonOf(outcome: Decision['outcome']): string | undefined {
  if (outcome?.kind === 'refuse') return outcome.detail;
  return outcome?.kind === 'unavailable'
    ? [outcome.outage.dependency, outcome.outage.detail].filter(Boolean).join(': ')
    : undefined;
}

function clip(text: string | undefined, longest = LONGEST): string | undefined {
  if (text === undefined) return undefined;
  return printableValue(text.length <= longest ? text : `${text.slice(0, longest)}…`);
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
