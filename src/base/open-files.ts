/** Descriptors for the process itself: libraries, logs, listeners, databases, probes. */
export const OWN_FILES = 64;

/** Undefined: not read yet. */
let known: { readonly limit: number | undefined } | undefined;

/**
 * The number of files that this process may open. Undefined: no limit, or unknown. The limit is constant, so it is read once;
 * each report would read every socket.
 */
export function openFileLimit(): number | undefined {
  known ??= { limit: readLimit() };
  return known.limit;
}

/** Node.js raises the soft limit to the hard limit at start. */
function readLimit(): number | undefined {
  // The types lack this property.
  const report: typeof process.report & { excludeNetwork?: boolean | undefined } = process.report;
  const before = report.excludeNetwork;
  // Otherwise the report asks name servers for every peer.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  report.excludeNetwork = before;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/**
 * The number of connections that the descriptors allow. Further connections are rejected, and nothing else fails. A process
 * without free descriptors can neither answer a probe nor reach its upstream.
 * @param each descriptors of one connection, including those of its answer
 */
export function roomForConnections(each: number, limit = openFileLimit()): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((limit - OWN_FILES) / each));
}
