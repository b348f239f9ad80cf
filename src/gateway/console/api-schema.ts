import * as Type from 'typebox';
import { DecisionSchema, StepSchema } from './live/decision-schema.ts';
import { CheckSchema, QuestionSchema, RecordSchema, TicketSchema, TokenSchema } from './questions/question-schema.ts';

// Unknown members may be added. So a program that reads an answer must ignore members that it does not know.
const text = Type.String();
const texts = Type.Array(text);
const number = Type.Number();
const flag = Type.Boolean();
const optional = Type.Optional;
const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const oneOf = (...words: readonly string[]) => Type.Union(words.map((word) => Type.Literal(word)));

const Answer = Type.Object({
  kind: oneOf('forward', 'refuse', 'unavailable', 'reply', 'undecided'),
  status: optional(number),
  code: optional(text),
  text: optional(text),
  detail: optional(text),
  challenges: optional(texts),
  allow: optional(texts),
  retry_after: optional(number),
});

const Check = Type.Object({
  name: text,
  mark: oneOf('fits', 'fails', 'unknown'),
  found: text,
  expected: text,
  note: optional(text),
});

const Checked = Type.Object({
  kind: oneOf('jwt', 'opaque', 'malformed'),
  server: optional(text),
  checks: Type.Array(Check),
});

const Explanation = Type.Object({
  request: Type.Object({ method: text, host: text, target: text }),
  route: optional(text),
  candidates: Type.Array(Type.Object({ route: text, at: optional(text), misfits: texts })),
  steps: Type.Array(StepSchema),
  token: optional(Checked),
  answer: Answer,
  would_be: optional(Answer),
  upstream: optional(
    Type.Object({
      upstream: text,
      authority: text,
      method: text,
      target: text,
      headers: Type.Array(Type.Tuple([text, text])),
    }),
  ),
});

const Problem = Type.Object({
  severity: oneOf('error', 'warning'),
  file: text,
  line: number,
  column: number,
  message: text,
  hint: optional(text),
  frame: optional(text),
});

const Greeting = {
  gateway: text,
  workers: number,
  replicas: Type.Array(Type.Object({ url: text, gateway: optional(text), fault: optional(text) })),
};

const Server = Type.Object({
  name: text,
  issuer: optional(text),
  keys_age_seconds: optional(number),
  cached_tokens: optional(number),
  cache_hits: optional(number),
  introspections: optional(number),
  feed: optional(
    Type.Object({ connected: flag, stale: flag, lag_seconds: optional(number), revocations: optional(number) }),
  ),
});

const Upstream = Type.Object({
  upstream: text,
  url: text,
  up: flag,
  breaker: oneOf('closed', 'half open', 'open'),
  in_flight: number,
  retries: number,
});

const Point = Type.Object({
  time: number,
  passed: number,
  refused: number,
  failed: number,
  p50: optional(number),
  p95: optional(number),
  p99: optional(number),
  own_p99: optional(number),
  in_flight: number,
  memory: number,
});

const Route = Type.Object({
  id: text,
  at: optional(text),
  host: optional(text),
  path: text,
  methods: optional(texts),
  access: oneOf('public', 'optional', 'authenticated', 'scope'),
  shadow: flag,
  scope: optional(texts),
  upstream: text,
  requests: number,
  failed: number,
  refused: Type.Array(Type.Object({ code: text, reason: text, count: number })),
  last_hit: optional(number),
});

const Change = Type.Object({
  change: oneOf('opened', 'closed'),
  hosts: texts,
  methods: texts,
  path: text,
  callers: texts,
  before: text,
  after: text,
});

const Claims = Type.Record(Type.String(), Type.Unknown());

/** The members of the ticket, and what its code means. */
const Ticket = Type.Object({ text: optional(text), remedy: optional(text) }, { additionalProperties: text });

/** Each answer with a status from 400 on, also where no schema is listed. */
const ApiError = Type.Object({ error: text });

export interface ApiCall {
  readonly body?: Type.TSchema;
  /** Status → the body of the answer. */
  readonly answers: Readonly<Record<number, Type.TSchema>>;
}

/** Every request of the API, with the schemas of its bodies (JSON Schema 2020-12). */
export const apiCalls: Readonly<Record<string, ApiCall>> = {
  'GET /api/decisions': {
    answers: {
      200: Type.Object({ ...Greeting, epoch: text, decisions: Type.Array(DecisionSchema) }),
      400: ApiError,
      503: ApiError,
    },
  },
  'POST /api/explain': {
    body: QuestionSchema,
    answers: {
      200: Type.Object({ ok: Type.Literal(true), explanation: Explanation, warnings: texts }),
      400: ApiError,
      422: Type.Object({ error: text, problems: optional(Type.Array(Problem)) }),
      503: ApiError,
    },
  },
  'POST /api/check': {
    body: CheckSchema,
    answers: { 200: Type.Object({ problems: Type.Array(Problem) }), 400: ApiError, 422: ApiError, 503: ApiError },
  },
  'POST /api/token': {
    body: TokenSchema,
    answers: {
      200: Type.Object({
        header: optional(Claims),
        claims: optional(Claims),
        token: Checked,
        routes: Type.Array(
          Type.Object({
            route: text,
            at: optional(text),
            verdict: oneOf('passes', 'refused', 'unavailable'),
            code: optional(text),
            text: optional(text),
            depends: flag,
          }),
        ),
      }),
      400: ApiError,
      503: ApiError,
    },
  },
  'POST /api/ticket': { body: TicketSchema, answers: { 200: Ticket, 400: ApiError, 404: ApiError } },
  'POST /api/remedy': { body: RecordSchema, answers: { 200: Type.Object({ yaml: optional(text) }), 400: ApiError } },
  'GET /api/file': { answers: { 200: Type.Object({ text: optional(text), remark: optional(text) }) } },
  'GET /api/routes': { answers: { 200: Type.Object({ routes: Type.Array(Route) }) } },
  'GET /api/reload': {
    answers: {
      200: Type.Union([
        Type.Object({ at: Type.Null() }),
        Type.Object({ at: number, changes: Type.Array(Change), settings: texts }),
      ]),
    },
  },
  'GET /api/health': {
    answers: {
      200: Type.Object({
        ...Greeting,
        not_ready: nullable(Type.Object({ reason: text, cause: optional(text) })),
        remark: nullable(text),
        servers: Type.Array(Server),
        upstreams: Type.Array(Upstream),
        last_reload: number,
        reload_failed: flag,
        reload_waiting: flag,
        points: Type.Array(Point),
      }),
    },
  },
};
