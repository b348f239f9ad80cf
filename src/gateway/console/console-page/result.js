// What became of a decision, by the rule of gateway/telemetry/result.ts. A test holds both equal.
export function kindOf({ status = 0, code }) {
  if (status >= 500 || code === 'client_gone') return 'fail';
  return code === 'forwarded' || code === 'answered' ? 'pass' : 'refuse';
}
