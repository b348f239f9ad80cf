import { type JsonObject, parseJsonObject } from '../../jwt/json.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import type { Addressed, ResponseMode } from './authorization-request.ts';
import { responseTypes } from './response-types.ts';

/** Any mode will do for the error of an unknown response type (OAuth 2.0 Multiple Response Type Encoding Practices §2.1). */
const everyMode: readonly ResponseMode[] = ['query', 'fragment', 'form_post'];

/**
 * Where the client expects the answer, errors included. A client that sends a request object may name the state and the
 * response mode only there (OpenID Connect Core §6.1). The service refuses the object, and the refusal must reach the client.
 */
export function answerWay(parameters: Parameters): Pick<Addressed, 'state' | 'mode'> {
  const object = refusedObject(parameters.get('request'));
  const asked = (name: string) => parameters.get(name) ?? textOf(object[name]);
  const modes = responseTypes.get(parameters.get('response_type') ?? '')?.modes ?? everyMode;
  const mode = modes.find((known) => known === asked('response_mode')) ?? modes[0] ?? 'query';
  return { state: asked('state'), mode };
}

/** The claims of a request object, unverified. */
function refusedObject(text: string | undefined): JsonObject {
  const [, payload = ''] = text?.split('.') ?? [];
  return parseJsonObject(Buffer.from(payload, 'base64url')) ?? {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
