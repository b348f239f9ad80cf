import { type Authorization, answerOf, type Parameters } from '../authorization.ts';
import { need } from '../judge.ts';
import type { Party } from '../party.ts';
import { checkErrorValues } from './error-values.ts';
import { isUnguessable } from './token-answer.ts';

/** OpenID Connect Core §3.1.2.5: the code. */
export function checkCode(party: Party, authorization: Authorization): string {
  const { judge } = party;
  const answer = answerOf(party, authorization);
  need(judge, answer.error === undefined, 'the authorization succeeds', answer);
  checkOrigin(party, authorization, answer);
  const { code } = answer;
  need(judge, code !== undefined && code !== '', 'there is a code', answer);
  judge.must(isUnguessable(code), 'the code cannot be guessed', code);
  return code;
}

/** RFC 9207 §2.4: `iss`, which the metadata promises. The `state` comes back unchanged. */
function checkOrigin({ judge, metadata }: Party, { sent }: Authorization, { state, iss }: Parameters): void {
  judge.must(state === sent.state, 'the answer has the state of the request', state);
  const isPromised = metadata.authorization_response_iss_parameter_supported === true;
  judge.must(isPromised ? iss === metadata.issuer : iss === undefined, 'the answer has the issuer as iss', iss);
}

const known = ['error', 'error_description', 'error_uri', 'state', 'iss', 'session_state'];

/** OpenID Connect Core §3.1.2.6: one of these errors. */
export function checkError(
  party: Party,
  authorization: Authorization,
  errors: readonly string[],
  way = party.mode,
): void {
  const { judge } = party;
  const answer = answerOf(party, authorization, way);
  need(judge, answer.error !== undefined, 'the answer is an error', answer);
  judge.must(errors.includes(answer.error), `the error is ${errors.join(' or ')}`, answer);
  checkOrigin(party, authorization, answer);
  judge.must(answer.code === undefined, 'an error has no code', answer);
  checkErrorValues(judge, answer);
  const others = Object.keys(answer).filter((name) => !known.includes(name));
  judge.should(others.length === 0, 'an error has only the parameters of the standard', others);
}

/** The errors of `prompt=none` where a page would be necessary. */
export const needsPage = ['login_required', 'interaction_required', 'account_selection_required', 'consent_required'];
