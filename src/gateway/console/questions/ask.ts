import type { Static } from 'typebox';
import type { Problem } from '../../../config/load/load.ts';
import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import { parsePlace } from '../../../config/words/request-line.ts';
import { doubts, lackingMessage } from '../../explain/doubts.ts';
import { defaultHost, defaultSecure } from '../../explain/dry-engine.ts';
import type { Explanation } from '../../explain/explain.ts';
import type { SimulatedRequest } from '../../explain/simulated-request.ts';
import { type AskedFile, explainAssumed, explainVerified } from '../../explain/ways.ts';
import type { QuestionSchema } from './question-schema.ts';
import type { RunningFile } from './running-file.ts';

export type Question = Static<typeof QuestionSchema>;

export type Answer =
  | {
      readonly ok: true;
      readonly explanation: Explanation;
      /** What is probably a mistake in the question or in the given file. */
      readonly warnings: readonly string[];
    }
  /** The given file has these errors. */
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Answers as `gatehouse explain` does, for the running file. */
export async function answer(question: Question, running: () => RunningFile): Promise<Answer> {
  return explainIn(question, running().file, explainVerified);
}

/** What makes a question impossible. Undefined: nothing. */
export function questionFault({ url, token, scope, claims, user, method }: Question): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method)) return 'the method has a character that a method cannot have';
  if (parsePlace(url) === undefined) return 'write a path such as /orders/7, or a URL such as https://host/orders/7';
  const ways = [token, user, scope ?? claims].filter((each) => each !== undefined);
  return ways.length > 1 ? 'use only one: a token, a user, or scopes and claims' : undefined;
}

export async function explainIn(
  question: Question,
  file: AskedFile,
  verified: typeof explainVerified,
  notes: readonly string[] = [],
): Promise<Answer> {
  const { method, scope, claims, mcp } = question;
  const asked = requestOf(question, file.config);
  const assumes = scope !== undefined || claims !== undefined;
  const explanation = await (assumes ? explainAssumed(file, asked, { scope, claims }) : verified(file, asked));
  const lacking = lackingMessage({ method, mcp }, explanation);
  const warnings = [
    ...notes,
    ...doubts({ method, scope, mcp }, file.config),
    ...(lacking === undefined ? [] : [lacking]),
  ];
  return { ok: true, explanation, warnings };
}

function requestOf({ method, url, headers, token, user, mcp }: Question, config: GatewayConfig): SimulatedRequest {
  const place = parsePlace(url);
  return {
    method,
    target: place?.target ?? url,
    host: place?.host ?? defaultHost(config),
    secure: place?.secure ?? defaultSecure(config),
    headers: headers ?? [],
    user,
    token,
    operation: mcp,
  };
}
