import { createHmac } from 'node:crypto';

/**
 * The user's name for one sector. It does not reveal the name in another sector. The value is base64url of HMAC-SHA256
 * over the sector's length in four bytes, the sector, and `sub`. Each client is its own sector, identified by its id.
 */
export function pairwiseName(secret: Uint8Array, { sector, subject }: { sector: string; subject: string }): string {
  const bytes = Buffer.from(sector);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return createHmac('sha256', secret).update(length).update(bytes).update(subject).digest('base64url');
}
