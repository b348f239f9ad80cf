import { type Code, codeGroups } from './codes.ts';

/** Where in the way of a request it ended: extract → throttle → verify → permit → forward, and what comes before them. */
export type Step = 'message' | 'target' | 'route' | 'extract' | 'throttle' | 'verify' | 'permit' | 'forward';

const byGroup: Readonly<Record<keyof typeof codeGroups, Step>> = {
  targets: 'target',
  framing: 'message',
  routing: 'route',
  asking: 'message',
  credentials: 'verify',
  throttling: 'throttle',
  permission: 'permit',
  outages: 'forward',
};

/** Codes that stand in the group of another step than their own. */
const own: Partial<Record<Code, Step>> = {
  credential_missing: 'extract',
  credential_malformed: 'extract',
  credential_repeated: 'extract',
  form_too_large: 'extract',
  integrity_too_large: 'extract',
  authorization_malformed: 'extract',
  transport_insecure: 'extract',
  login_throttled: 'verify',
  passwords_saturated: 'verify',
  counters_unavailable: 'verify',
  users_unavailable: 'verify',
  bodies_saturated: 'extract',
  token_audience: 'permit',
  authorization_server_unavailable: 'verify',
};

const steps: ReadonlyMap<string, Step> = new Map(
  Object.entries(codeGroups).flatMap(([group, entries]) =>
    Object.keys(entries).map((code) => [code, own[code as Code] ?? byGroup[group as keyof typeof codeGroups]] as const),
  ),
);

/** Undefined for what is no refusal and no outage. */
export function stepOf(code: string): Step | undefined {
  return steps.get(code);
}
