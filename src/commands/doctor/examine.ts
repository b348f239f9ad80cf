import type { NamedChecks } from './checks.ts';
import { bad, type DoctorFinding, type DoctorProbe, PROBE_DEADLINE, type Seen } from './finding.ts';
import type { DoctorContext, Subject } from './subject.ts';

/**
 * Runs all probes at once; the results are in the order of the table. Never rejects, and takes about as long as the slowest
 * probe.
 */
export async function examine(
  subject: Subject,
  around: Omit<DoctorContext, 'opened'>,
  checksFor: (subject: Subject, around: DoctorContext) => NamedChecks,
): Promise<readonly DoctorFinding[]> {
  const opened = new AsyncDisposableStack();
  const checks = checksFor(subject, { ...around, opened });
  const looks = Object.entries(checks).flatMap(([check, probes]) => probes.map((probe) => lookAt(check, probe)));
  const findings = (await Promise.all(looks)).flat();
  // Resources that do not close end with the process.
  void opened.disposeAsync().catch(() => {});
  return findings;
}

async function lookAt(check: string, { about, look }: DoctorProbe): Promise<readonly DoctorFinding[]> {
  const over = new AbortController();
  // AbortSignal.timeout would let the process end before this timer.
  const timer = setTimeout(() => over.abort(), PROBE_DEADLINE);
  const seen = await Promise.race([attempt(look, over.signal), late(over.signal)]);
  clearTimeout(timer);
  return [seen].flat().map((each) => ({ check, about, ...each }));
}

async function attempt(look: DoctorProbe['look'], signal: AbortSignal): Promise<Seen | readonly Seen[]> {
  try {
    return await look(signal);
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    return bad(`this check failed: ${name}: ${message}`, 'please report this as a bug in Gatehouse');
  }
}

function late(signal: AbortSignal): Promise<Seen> {
  const sentence = bad(
    `no answer within ${PROBE_DEADLINE / 1000} s`,
    'check the firewall, the name servers, and the load of the program there',
  );
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(sentence), { once: true }));
}
