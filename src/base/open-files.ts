/** Descriptors that a process keeps for itself: libraries, logs, listeners, databases, probes. */
export const OWN_FILES = 64;

/** Undefined: not read yet. */
let known: { readonly limit: number | undefined } | undefined;

/**
 * How many files this process may open. Undefined: no limit, or the system has none. Read once: it is constant, and a report
 * would read every socket.
 */
export function openFileLimit(): number | undefined {
  known ??= { limit: readLimit() };
  return known.limit;
}

/** Node.js raises the soft limit to the hard one when it starts. */
function readLimit(): number | undefined {
  // Its types do not know of all that it has.
  const report: typeof process.report & { excludeNetwork?: boolean | undefined } = process.report;
  const before = report.excludeNetwork;
  // It would ask name servers for every peer.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  report.excludeNetwork = before;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/**
 * Connections for which descriptors exist. Connections above that are rejected and nothing else fails: a process without
 * descriptors can neither answer a probe nor reach its upstream.
 * @param each descriptors of one connection, including those of its answer
 */
export function roomForConnections(each: number, limit = openFileLimit()): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((limit - OWN_FILES) / each));
}
