import { prefersHtml } from '../http/accept.ts';
import type { AnswerError } from '../http/errors.ts';

/** Answers a request that no endpoint handles: a page for people, and the form of the endpoint or a problem for programs. */
export function answerStrays(answerPage: AnswerError, answerProgram: AnswerError): AnswerError {
  return (refusal, request, reply) => {
    reply.header('vary', 'Accept');
    const answer = prefersHtml(request.headers.accept) ? answerPage : answerProgram;
    return answer(refusal, request, reply);
  };
}
