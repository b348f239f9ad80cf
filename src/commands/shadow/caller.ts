/** Whom to call: the client where it was verified; else where the request came from, and what it says of itself. */
export function callerOf(line: {
  readonly client: string | undefined;
  readonly address: string | undefined;
  readonly agent: string | undefined;
}): string | undefined {
  if (line.client !== undefined) return line.client;
  if (line.address === undefined) return line.agent;
  return line.agent === undefined ? line.address : `${line.address} (${line.agent})`;
}
