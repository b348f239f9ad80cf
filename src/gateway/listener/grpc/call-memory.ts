import { entityBudget, type Loan } from '../../client/entity-budget.ts';

const MEBIBYTE = 1024 * 1024;
/** Bytes of all calls of trusted callers, and of all calls of strangers. A stranger's call only gets a refusal. */
const [OF_CALLERS, OF_STRANGERS] = [256 * MEBIBYTE, 4 * MEBIBYTE];
const [WHOLE, PART] = [1, 0.25];

/** The memory for the messages of calls, which the library collects before anything can judge them. */
export function callMemory(isTrusted: (address: string) => boolean): (address: string) => Loan {
  const [callers, strangers] = [entityBudget(OF_CALLERS), entityBudget(OF_STRANGERS)];
  return (address) => (isTrusted(address) ? callers.open(address, WHOLE) : strangers.open(address, PART));
}
