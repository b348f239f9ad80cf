import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { parseJsonObject } from '../../../jwt/json.ts';
import { type LoginProof, newLoginProof } from '../../server-client/login-request.ts';

/** One login from its redirect to its callback. */
export interface OpenLogin {
  readonly proof: LoginProof;
  /** Where the browser goes after the login: a path of this listener. */
  readonly returnTo: string;
}

/** Seconds that a person may need to log in. */
export const LOGIN_FOR = 600;

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/**
 * Seals a transaction for a cookie. The browser keeps it, so a flood of unfinished logins takes no memory here. Only the browser
 * that began a login has its cookie. The content can be neither read nor changed elsewhere.
 */
export class LoginSeal {
  readonly #key = randomBytes(32);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(returnTo: string): OpenLogin {
    return { proof: newLoginProof(), returnTo };
  }

  seal({ proof, returnTo }: OpenLogin): string {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce);
    const text = JSON.stringify({ ...proof, returnTo, until: this.#clock.now() + LOGIN_FOR * 1000 });
    const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Undefined: not sealed here, or too old. */
  open(text: string): OpenLogin | undefined {
    const { state, nonce, verifier, returnTo, until } = this.#unseal(Buffer.from(text, 'base64url')) ?? {};
    if (typeof until !== 'number' || until < this.#clock.now()) return undefined;
    const texts = [state, nonce, verifier, returnTo];
    if (!texts.every((each) => typeof each === 'string')) return undefined;
    return { proof: { state, nonce, verifier } as LoginProof, returnTo: returnTo as string };
  }

  #unseal(sealed: Buffer) {
    if (sealed.length <= NONCE + TAG) return undefined;
    const decipher = createDecipheriv(ALGORITHM, this.#key, sealed.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
    try {
      return parseJsonObject(Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]));
    } catch {
      return undefined;
    }
  }
}
