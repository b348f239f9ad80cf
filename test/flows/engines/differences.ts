import { isDeepStrictEqual } from 'node:util';
import type { Seen, Told } from './played-case.ts';
import type { Fields } from './recording-upstream.ts';

/** Where the engines differ, and why either is right. `level` removes exactly that difference. */
export interface Difference {
  readonly name: string;
  readonly because: string;
  readonly level: (seen: Seen, engine: Engine) => Seen;
}

type Engine = 'undici' | 'own';

const FRAME: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade']);

export const differences: readonly Difference[] = [
  {
    name: 'the place of Host, of the framing and of Connection',
    because: 'RFC 9110 §5.3: the order of lines of different names says nothing; undici writes Host first',
    level: forEachRequest((told) => ({ ...told, fields: [...told.fields].sort(byFrame) })),
  },
  {
    name: 'Connection of a HEAD',
    because: 'undici says close, for there are servers that send content; ours waits for that and keeps the connection',
    level: forEachRequest((told) => (told.line.startsWith('HEAD ') ? withValue(told, 'connection', 'close') : told)),
  },
  {
    name: 'Content-Length: 0 of a method without content',
    because: 'RFC 9110 §8.6: it says the same as none; undici drops it, ours hands it on',
    level: forEachRequest((told) => {
      const isEmpty = told.framing === 'sized' && told.body === '' && !/^(POST|PUT|PATCH) /.test(told.line);
      return isEmpty ? { ...without(told, 'content-length'), framing: 'none' } : told;
    }),
  },
  {
    name: 'no content in chunks',
    because: 'RFC 9112 §6.3: nothing is nothing, whatever frames it; undici has seen the end before it writes the head',
    level: forEachRequest((told) => {
      if (told.body !== '' || told.framing === 'none' || told.state !== 'completed') return told;
      return { ...without(without(told, 'content-length'), 'transfer-encoding'), framing: 'none' };
    }),
  },
  {
    name: 'the head before a body that is too large at once',
    because: 'undici sends the head with the first byte; ours at once, and the upstream sees a request that is cut',
    level: ({ answer, requests }) => ({
      answer,
      requests: answer?.line.startsWith('413 ') ? requests.filter(({ state }) => state !== 'aborted') : requests,
    }),
  },
  {
    name: 'a protocol that nobody asked for',
    because:
      'undici calls it a connection that broke, and so it is tried again; for ours it is an answer, if no valid one',
    level: ({ answer, requests }) => ({
      answer,
      requests: requests.every(({ unasked }) => unasked === 'switch') ? requests.slice(0, 1) : requests,
    }),
  },
  {
    name: '100 Continue that nobody asked for',
    because: 'RFC 9110 §15.2: a client reads interim answers that it does not expect; undici ends the connection',
    level: (seen, engine) => {
      const { answer, requests } = seen;
      if (!requests.some(({ unasked }) => unasked === 'continue')) return seen;
      return engine === 'undici' && answer?.line.startsWith('502 ') !== true
        ? seen
        : { answer: undefined, requests: requests.slice(0, 1) };
    },
  },
];

function forEachRequest(level: (told: Told) => Told): Difference['level'] {
  return ({ answer, requests }) => ({ answer, requests: requests.map(level) });
}

function byFrame([a]: Fields[number], [b]: Fields[number]): number {
  const places = [a, b].map((name) => (FRAME.has(name.toLowerCase()) ? 1 : 0));
  const apart = (places[0] ?? 0) - (places[1] ?? 0);
  return apart !== 0 || places[0] === 0 ? apart : a.localeCompare(b);
}

function withValue(told: Told, name: string, value: string): Told {
  return { ...told, fields: told.fields.map((field) => (field[0].toLowerCase() === name ? [field[0], value] : field)) };
}

function without(told: Told, name: string): Told {
  return { ...told, fields: told.fields.filter((field) => field[0].toLowerCase() !== name) };
}

/** Without the parts that differ between any two answers: ids, tickets, nonces and the time. */
export function masked({ answer, requests }: Seen): Seen {
  const problem = /"(request_id|ticket)":"[^"]*"/g;
  return {
    answer: answer && {
      ...answer,
      fields: answer.fields.map(maskedField).map((field) => (isOurs(answer) ? withoutLength(field) : field)),
      body: answer.body.replace(problem, '"$1":"…"'),
    },
    requests: requests.map((told) => ({ ...told, fields: told.fields.map(maskedField) })),
  };
}

function isOurs({ fields }: NonNullable<Seen['answer']>): boolean {
  return fields.some(([, value]) => value === 'application/problem+json');
}

/** The length of a ticket depends on the path and the times in it. */
function withoutLength([name, value]: Fields[number]): Fields[number] {
  return [name, name === 'content-length' ? '…' : value];
}

const masks: Readonly<Record<string, (value: string) => string>> = {
  'x-request-id': () => '…',
  // To the second, for our own times.
  date: (value) => (value.endsWith('2000 00:00:00 GMT') ? value : '…'),
  'www-authenticate': (value) => value.replace(/(nonce|opaque)="[^"]{8,}"/g, '$1="…"'),
};

function maskedField([name, value]: Fields[number]): Fields[number] {
  return [name, masks[name.toLowerCase()]?.(value) ?? value];
}

export type Compared =
  | { readonly kind: 'equal'; readonly differences: readonly string[] }
  | { readonly kind: 'wrong'; readonly undici: string; readonly own: string };

export function compareSeen(undici: Seen, own: Seen): Compared {
  let [theirs, ours] = [masked(undici), masked(own)];
  const used: string[] = [];
  for (const { name, level } of differences) {
    if (isDeepStrictEqual(theirs, ours)) break;
    const next = [level(theirs, 'undici'), level(ours, 'own')] as const;
    // A change that it made to both was not a difference.
    if (distance(...next) < distance(theirs, ours)) used.push(name);
    [theirs, ours] = next;
  }
  const isEqual = isDeepStrictEqual(theirs, ours);
  return isEqual ? { kind: 'equal', differences: used } : { kind: 'wrong', undici: shown(theirs), own: shown(ours) };
}

function shown(seen: Seen): string {
  return JSON.stringify(seen);
}

/** Lines that differ, by position. */
function distance(a: Seen, b: Seen): number {
  const [left, right] = [linesOf(a), linesOf(b)];
  return left.filter((line, index) => line !== right[index]).length + Math.max(0, right.length - left.length);
}

function linesOf({ answer, requests }: Seen): readonly string[] {
  const told = requests.flatMap(({ line, framing, fields }) => [
    line,
    framing,
    ...fields.map((field) => field.join(': ')),
  ]);
  return [answer?.line ?? 'none', ...told];
}
