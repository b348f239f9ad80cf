import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** An id that the upstream issued for one caller. */
export type SealedId = 'session' | 'event';

/** Bytes of the code in a sealed id. */
const CODE = 16;
const SEALED = /^(.+)\.([A-Za-z0-9_-]{22})$/s;

/** For a file without keys: a restart then ends every session, as the protocol allows. */
const ofProcess = randomBytes(32);

/**
 * Binds the ids of an upstream to the caller that got them. The client sees `ID.CODE`, and the upstream its own ID. So no
 * store is needed, and every worker and replica with the same keys accepts the id.
 */
export class SessionSeal {
  readonly #keys: readonly Buffer[];
  readonly #route: string;

  /** `keys`: base64, the first seals. `route`: an id is worth nothing on another route. */
  constructor(keys: readonly string[] | undefined, route: string) {
    const given = (keys ?? []).map((text) => Buffer.from(text, 'base64'));
    const used = given.length === 0 ? [ofProcess] : given;
    this.#keys = used.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'mcp session ids', 32)));
    this.#route = route;
  }

  seal(kind: SealedId, owner: string, id: string): string {
    return `${id}.${this.#code(this.#keys[0] as Buffer, kind, owner, id).toString('base64url')}`;
  }

  /** The upstream's own id. Undefined: the id does not belong to this caller. */
  open(kind: SealedId, owner: string, sealed: string): string | undefined {
    const [, id, code] = SEALED.exec(sealed) ?? [];
    if (id === undefined || code === undefined) return undefined;
    const given = Buffer.from(code, 'base64url');
    const isOurs = (key: Buffer) => timingSafeEqual(this.#code(key, kind, owner, id), given);
    return this.#keys.some(isOurs) ? id : undefined;
  }

  #code(key: Buffer, kind: SealedId, owner: string, id: string): Buffer {
    const text = JSON.stringify([this.#route, kind, owner, id]);
    return createHmac('sha256', key).update(text).digest().subarray(0, CODE);
  }
}
