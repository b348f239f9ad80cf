import type { PageSeal } from './page-seal.ts';

/** The state that a page carries from its GET to its POST. */
export interface Transaction {
  readonly kind: 'login' | 'consent' | 'account' | 'logout';
  /** From the authorization request. Absent if the user came directly. */
  readonly parameters?: readonly (readonly [name: string, value: string])[];
  /** SHA-256 of the cookie of this browser, in base64url. */
  readonly browser: string;
  /** The id of the session that saw the page. */
  readonly session?: string;
  /** Distinguishes one page from another. */
  readonly id: string;
  /** NumericDate. */
  readonly expiresAt: number;
}

export interface Transactions {
  seal(transaction: Transaction): string;
  /** Undefined if another service sealed the text, or for another kind of page. The caller checks the expiry. */
  open(sealed: string, kind: Transaction['kind']): Transaction | undefined;
}

export function buildTransactions({ seal, open }: PageSeal): Transactions {
  return {
    seal: ({ kind, ...rest }) => seal(kind, rest),
    open(sealed, kind) {
      const rest = open(kind, sealed) as Omit<Transaction, 'kind'> | undefined;
      return rest && { kind, ...rest };
    },
  };
}
