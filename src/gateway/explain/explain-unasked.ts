import { outage } from '../../base/verdict.ts';
import { buildDryEngine, type CheckedGatewayFile } from './dry-engine.ts';
import { type ExplainedAnswer, type Explanation, explain } from './explain.ts';
import type { SimulatedRequest } from './simulated-request.ts';

/** For the command. */
const UNASKED = 'not asked because of --no-secrets; use --scope and --claims to assume a valid token';

/** With --no-secrets, no authorization server is asked for keys or about a token. The result is then unknown, not an outage. */
export async function explainUnasked(
  loaded: Pick<CheckedGatewayFile, 'config' | 'locate'>,
  asked: SimulatedRequest,
  why = UNASKED,
): Promise<Explanation> {
  const verifier =
    ([server]: readonly string[]) =>
    () =>
      outage(`authorization_servers.${server}`, 0, why);
  const explanation = await explain(loaded, buildDryEngine(loaded, verifier), asked);
  const { steps, answer, would_be } = explanation;
  return {
    ...explanation,
    steps: steps.map((step) =>
      step.verdict === 'unavailable' ? { ...step, verdict: 'undecided', detail: why } : step,
    ),
    answer: undecided(answer, why),
    would_be: would_be && undecided(would_be, why),
  };
}

function undecided(answer: ExplainedAnswer, why: string): ExplainedAnswer {
  return answer.detail?.endsWith(why) ? { kind: 'undecided', text: answer.detail } : answer;
}
