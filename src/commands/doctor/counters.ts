import { trustOf } from '../../config/files/trust.ts';
import { maskPasswords } from '../../config/yaml/frame.ts';
import { redisState } from '../../counters/state.ts';
import { judgeClocks } from './clocks.ts';
import { errorCodeOf, faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, PROBE_DEADLINE, type Seen } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile, LoadedServiceFile } from './subject.ts';

type Counting = LoadedGatewayFile | LoadedServiceFile;

/** The shared Redis answers, keeps its data, and its clock agrees with ours. */
export function counterChecks(subject: Counting, around: DoctorContext): readonly DoctorProbe[] {
  const { url } = subject.config.counters;
  if (url === 'memory') return [];
  return [{ about: `counters ${maskPasswords(url)}`, look: () => lookAt(subject, around) }];
}

function keepsNonces(subject: Counting): boolean {
  return subject.kind === 'gateway' && subject.config.routes.some(({ digest }) => digest !== undefined);
}

/** Milliseconds. A nonce of Digest may be this much older than its timestamp says. */
const ALLOWED = 5_000;

async function lookAt(subject: Counting, { clock }: DoctorContext): Promise<readonly Seen[]> {
  const { counters } = subject.config;
  try {
    const trust = trustOf(counters, subject);
    const { now, role, policy } = await redisState(counters.url, trust, PROBE_DEADLINE / 2);
    const clocks = judgeClocks({
      theirs: now,
      ours: clock.now(),
      allowed: ALLOWED,
      harm: 'the time windows of limits end too early or too late',
    });
    return [good('answers'), clocks, ...judgeRole(role), ...(keepsNonces(subject) ? judgePolicy(policy) : [])];
  } catch (error) {
    const code = errorCodeOf(error);
    const remedy = 'check the user and the password in `counters`: they are missing or wrong';
    return [bad(`does not answer, so each process counts alone: ${code}`, faultRemedy(code, remedy))];
  }
}

function judgeRole(role: string): readonly Seen[] {
  if (role === 'master') return [];
  return [bad(`is a ${role}, which accepts no writes`, 'name its primary')];
}

/** If Redis evicts a nonce, a client could use the nonce again. */
function judgePolicy(policy: string | undefined): readonly Seen[] {
  if (policy === 'noeviction') return [good('does not evict nonces of Digest')];
  const remedy = 'write `maxmemory-policy noeviction` in redis.conf';
  if (policy === undefined)
    return [doubtful('stores nonces of Digest, and does not report its maxmemory-policy', remedy)];
  return [bad(`evicts nonces of Digest when its memory is full (maxmemory-policy ${policy})`, remedy)];
}
