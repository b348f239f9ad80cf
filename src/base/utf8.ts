const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined: the bytes are not UTF-8. A byte order mark counts as a character. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}
