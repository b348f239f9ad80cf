import type { Mismatch } from '../../base/mismatch.ts';

/** One check of a token. All texts are one short line without control characters. */
export interface TokenCheck {
  /** Names the claim, or the member of the header or answer. */
  readonly name: string;
  /** `unknown`: the check was not reached, or cannot be made from the token alone. */
  readonly mark: 'fits' | 'fails' | 'unknown';
  readonly found: string;
  readonly expected: string;
  /** The difference, or how long the token is still valid. */
  readonly note?: string;
}

export function fits(name: string, found: string, expected: string, note?: string): TokenCheck {
  return check('fits', name, found, expected, note);
}

export function fails(name: string, found: string, expected: string, note?: string): TokenCheck {
  return check('fails', name, found, expected, note);
}

export function unknownToken(name: string, found: string, expected: string): TokenCheck {
  return check('unknown', name, found, expected, undefined);
}

export function failsBy({ claim, found, expected, difference }: Mismatch, name = claim): TokenCheck {
  return fails(name, found, expected, difference);
}

function check(
  mark: TokenCheck['mark'],
  name: string,
  found: string,
  expected: string,
  note: string | undefined,
): TokenCheck {
  return note === undefined ? { name, mark, found, expected } : { name, mark, found, expected, note };
}
