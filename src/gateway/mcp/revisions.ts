/** Revisions of the protocol whose servers do not compare headers with the body. */
const WITHOUT_MIRROR: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);

/** A request without the header has this revision (Streamable HTTP, protocol version header). */
export const WITHOUT_HEADER = '2025-03-26';

/** Whether the revision requires that headers repeat parts of the body. An unknown one counts as newer. */
export function isMirrored(revision: string | undefined): boolean {
  return revision !== undefined && !WITHOUT_MIRROR.has(revision);
}
