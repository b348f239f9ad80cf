import { type Loaded, loadGatewayText, type Problem } from '../../../config/load/load.ts';
import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import { explainUnasked } from '../../explain/explain-unasked.ts';
import { type Answer, explainIn, type Question } from './ask.ts';

/** A file that a person pasted. It is judged in its own thread, because a hostile text can take seconds. */
export type PastedQuestion =
  | { readonly kind: 'check'; readonly yaml: string }
  | { readonly kind: 'explain'; readonly yaml: string; readonly question: Question };

/** The answers, by kind. */
export interface PastedAnswers {
  readonly check: readonly Problem[];
  readonly explain: Answer;
}

/** At most this many problems are shown. */
const MOST = 50;

/** Answers without reading a variable, a file or a server. */
export async function answerPasted(asked: PastedQuestion): Promise<PastedAnswers[PastedQuestion['kind']]> {
  const loaded = loadGatewayText(asked.yaml, { file: 'pasted.yaml', closed: true });
  const problems = (loaded.ok ? loaded.warnings : loaded.problems).slice(0, MOST);
  if (asked.kind === 'check') return problems;
  if (!loaded.ok) return { ok: false, problems };
  return explainIn(asked.question, loaded, unasked, notRead(loaded));
}

const WHY =
  'for a pasted file, the gateway asks no server about a token; as caller, choose a token with scopes and claims';

const unasked: typeof explainUnasked = (file, request) => explainUnasked(file, request, WHY);

function notRead({ skipped }: Extract<Loaded<GatewayConfig>, { ok: true }>): readonly string[] {
  return skipped.length === 0
    ? []
    : [`the gateway does not read the variables and files that a pasted file names: ${skipped.join(', ')}`];
}
