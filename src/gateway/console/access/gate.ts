import type { FastifyReply, FastifyRequest } from 'fastify';

/** The person who sent a request, as far as the listener knows. */
export interface Operator {
  /** For display. Undefined: the listener does not ask who they are. */
  readonly name: string | undefined;
  /** The id of the session. Undefined: there is no session that could end. */
  readonly id: string | undefined;
}

/** One way to admit operators. */
export interface AccessGate {
  /** Undefined: the reply is sent, and says what the operator can do. */
  admit(request: FastifyRequest, reply: FastifyReply): Operator | undefined | Promise<Operator | undefined>;
  /** Calls `ended` when the session ends. Returns a function that cancels the call. */
  onEnd(id: string, ended: () => void): () => void;
  /** Browsers add the credential by themselves as a cookie. */
  readonly hasCookie: boolean;
}

const UNNAMED: Operator = { name: undefined, id: undefined };

/** Everyone who reaches the listener is an operator. */
export const openGate: AccessGate = { admit: () => UNNAMED, onEnd: () => () => {}, hasCookie: false };
