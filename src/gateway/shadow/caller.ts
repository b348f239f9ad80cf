interface Named {
  readonly client: string | undefined;
  readonly address: string | undefined;
  readonly agent: string | undefined;
}

/** The contact: a verified client; otherwise the address and User-Agent of the request. */
export function callerOf({ client, address, agent }: Named): string | undefined {
  if (client !== undefined) return client;
  if (address === undefined) return agent;
  return agent === undefined ? address : `${address} (${agent})`;
}

/**
 * Callers without a known client. A scan may come from thousands of addresses: the first ones are named, and the others
 * are only counted.
 */
export interface Callers {
  readonly first: ShadowCaller[];
  /** Requests of callers after the first ones. */
  others: number;
}

export interface ShadowCaller {
  readonly address: string | undefined;
  readonly agent: string | undefined;
  count: number;
}

const NAMED = 10;

export function callersOf(line: Named): Callers {
  const callers: Callers = { first: [], others: 0 };
  if (line.client === undefined && callerOf(line) !== undefined) addCaller(callers, line);
  return callers;
}

export function addCaller(callers: Callers, { address, agent }: Named): void {
  const known = callers.first.find((caller) => caller.address === address && caller.agent === agent);
  if (known !== undefined) known.count++;
  else if (callers.first.length < NAMED) callers.first.push({ address, agent, count: 1 });
  else callers.others++;
}
