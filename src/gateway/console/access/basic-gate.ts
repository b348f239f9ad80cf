import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientPeerOf } from '../../client/trusted-proxies.ts';
import type { Generation, LiveGeneration } from '../../generation/generation.ts';
import type { SchemeVerification } from '../../message/identity.ts';
import { type RequestHead, readHead } from '../../message/request-head.ts';
import type { HttpScheme } from '../../schemes/http-scheme.ts';
import type { AccessGate } from './gate.ts';
import { GenerationWatch } from './generation-watch.ts';

/**
 * Operators send a username and a password, which the gateway judges as on its routes. A stream has the id of its user and of
 * the file of users, so it ends when the file changes.
 */
export function basicGate(live: LiveGeneration): AccessGate {
  const streams = new Streams(live);
  const started = new WeakSet<Generation>();
  return {
    hasCookie: false,
    onEnd: (_id, ended) => streams.add(ended),
    async admit(request, reply) {
      const generation = live.current;
      if (!started.has(generation)) await start(generation);
      started.add(generation);
      const name = await askForPassword(request, reply, generation);
      return name === undefined ? undefined : { name, id: name };
    },
  };
}

/** The primary process of several workers judges no other password, so nothing else starts these parts there. */
async function start({ counters, schemes }: Generation): Promise<void> {
  await Promise.all([counters.start(), schemes.start()]);
}

/** Streams that were opened with a password. */
class Streams {
  readonly #watch: GenerationWatch;
  readonly #ends = new Map<() => void, HttpScheme | undefined>();
  readonly #live: LiveGeneration;

  constructor(live: LiveGeneration) {
    this.#live = live;
    this.#watch = new GenerationWatch(live, () => this.#endOld());
  }

  add(ended: () => void): () => void {
    this.#watch.begin();
    this.#ends.set(ended, this.#live.current.schemes.operators);
    return () => void this.#ends.delete(ended);
  }

  /** A reload keeps the scheme if its users are the same. */
  #endOld(): boolean {
    for (const [ended, operators] of [...this.#ends]) {
      if (operators === this.#live.current.schemes.operators) continue;
      this.#ends.delete(ended);
      ended();
    }
    return this.#ends.size > 0;
  }
}

/** The name of an operator who sent the right password. Undefined: the reply says why not. */
async function askForPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  { schemes: { operators }, shared }: Generation,
): Promise<string | undefined> {
  if (operators === undefined) throw new Error('the file has no users for operators');
  const head = headOf(request, shared);
  const verification = await verify(operators, head);
  if (verification?.kind === 'verified') return verification.identity.subject;
  refuse(reply, verification, operators.challenges(head, false));
  return undefined;
}

/** Undefined: there is no credential, or more than one. */
function verify(
  operators: HttpScheme,
  head: RequestHead,
): SchemeVerification | Promise<SchemeVerification> | undefined {
  const { authorization } = head;
  if (authorization === undefined || authorization.lines > 1) return undefined;
  return operators.verify({ value: authorization.value, head, entity: undefined });
}

function headOf({ method, raw }: FastifyRequest, { originOf, requestIdHeader }: Generation['shared']): RequestHead {
  const origin = originOf(clientPeerOf(raw, requestIdHeader));
  return readHead({ method, target: raw.url ?? '/', version: '1.1', origin, rawHeaders: raw.rawHeaders });
}

function refuse(reply: FastifyReply, told: SchemeVerification | undefined, challenges: readonly string[]): void {
  void reply.header('cache-control', 'no-store');
  if (told?.kind === 'outage')
    void reply.code(503).header('retry-after', told.retryAfter).send({ error: 'users_unavailable' });
  else if (told?.kind === 'throttled')
    void reply.code(429).header('retry-after', told.retryAfter).send({ error: 'too_many_wrong_passwords' });
  else if (told?.kind === 'refused' && told.code === 'transport_insecure')
    void reply.code(403).send({ error: 'the password came without TLS: use https' });
  else void reply.code(401).header('www-authenticate', challenges).send({ error: 'login_required' });
}
