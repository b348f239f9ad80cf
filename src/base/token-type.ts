/** RFC 7515 §4.1.9: case does not matter, and `application/` may be left out. */
export function mediaType(typ: string): string {
  const lower = typ.toLowerCase();
  return lower.startsWith('application/') ? lower.slice('application/'.length) : lower;
}
