import type { Client } from '../clients.ts';
import type { Account } from '../people/accounts.ts';

/** What a grant allows; `issue.ts` makes tokens of it. */
export interface Granted {
  readonly client: Client;
  readonly subject: string;
  /** Undefined where the client acts for itself. */
  readonly account: Account | undefined;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  /** The act of authorization that the tokens end with. */
  readonly grantId: string | undefined;
  /** When the user logged in, NumericDate. */
  readonly authTime: number | undefined;
  /** NumericDate; no token outlives its grant. */
  readonly notAfter: number | undefined;
}
