import { ANSWER_TIMES } from '../../config/words/answer-times.ts';
import { certificateHeaderOf } from '../../config/words/certificate-headers.ts';
import { fold } from '../../config/words/fold-name.ts';
import { overrideHeaders } from '../../config/words/override-headers.ts';
import type { ShadowChange } from '../../gateway/shadow/changes.ts';

/** One line: the change, its count and callers, and how to avoid it. */
export function changeInWords(change: ShadowChange): string {
  const { count, route, callers } = change;
  const who = callers.size === 0 ? '' : ` from ${[...callers].join(', ')}`;
  return `${count} × ${what(change)} → ${route ?? 'no route'}${who}: ${remedyOf(change)}`;
}

function what({ kind, field }: ShadowChange): string {
  if (kind === 'will_time_out') return `the upstream answered after more than ${ANSWER_TIMES.response / 1000} s`;
  return kind === 'dropped' ? `${field} is already dropped` : `${field} will be dropped`;
}

function remedyOf({ kind, field = '' }: ShadowChange): string {
  if (kind === 'will_time_out') return 'set upstreams: { NAME: { timeout: { response: 2m } } } to wait longer';
  if (kind === 'dropped')
    return 'only the gateway may send this field; to give its field another name, write identity_headers: { set: … }';
  return byField.find(({ fits }) => fits(field))?.remedy(field) ?? OF_PREFIX;
}

/** Callers may not send the names in `set`, whatever the prefix is. If a file renames them, its API must read the new names. */
const OF_PREFIX = 'set defaults: { identity_headers: { prefix: X-Gatehouse- } } to keep it, and do not change `set`';

interface Row {
  readonly fits: (field: string) => boolean;
  readonly remedy: (field: string) => string;
}

const passable = (field: string) =>
  overrideHeaders.find((name) => fold(name) === fold(field)) ?? certificateHeaderOf(field);

const byField: readonly Row[] = [
  { fits: (field) => field === 'authorization', remedy: () => 'set forward_credential: true on the route to keep it' },
  {
    fits: (field) => /^(?:forwarded|x-forwarded|x-real-ip|x-request-id)/.test(fold(field)),
    remedy: () => 'only proxies in trusted_proxies may send this field, so add the proxy that sets it',
  },
  {
    fits: (field) => passable(field) !== undefined,
    remedy: (field) => `set pass_headers: [${passable(field)}] on the route to keep it`,
  },
];
