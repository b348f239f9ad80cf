import { outage } from '../../base/verdict.ts';
import { buildDryEngine, type CheckedGatewayFile } from './dry-engine.ts';
import { type ExplainedAnswer, type Explanation, explain } from './explain.ts';
import type { SimulatedRequest } from './simulated-request.ts';

const UNASKED = 'not asked without secrets; `--scope` and `--claims` assume a token';

/** With --no-secrets, no authorization server is asked for keys or about a token. The result is then unknown, not an outage. */
export async function explainUnasked(
  loaded: Pick<CheckedGatewayFile, 'config' | 'locate'>,
  asked: SimulatedRequest,
): Promise<Explanation> {
  const verifier =
    ([server]: readonly string[]) =>
    () =>
      outage(`authorization_servers.${server}`, 0, UNASKED);
  const explanation = await explain(loaded, buildDryEngine(loaded, verifier), asked);
  const { steps, answer, would_be } = explanation;
  return {
    ...explanation,
    steps: steps.map((step) =>
      step.verdict === 'unavailable' ? { ...step, verdict: 'undecided', detail: UNASKED } : step,
    ),
    answer: undecided(answer),
    would_be: would_be && undecided(would_be),
  };
}

function undecided(answer: ExplainedAnswer): ExplainedAnswer {
  return answer.detail?.endsWith(UNASKED) ? { kind: 'undecided', text: answer.detail } : answer;
}
