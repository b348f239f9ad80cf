import { createHmac } from 'node:crypto';

/**
 * The name of a user for one sector, which tells nothing of the name for another: base64url of HMAC-SHA256 over the length
 * of the sector in four bytes, the sector, and `sub`. A sector is one client so far, known by its id.
 */
export function pairwiseName(secret: Uint8Array, { sector, subject }: { sector: string; subject: string }): string {
  const bytes = Buffer.from(sector);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return createHmac('sha256', secret).update(length).update(bytes).update(subject).digest('base64url');
}
