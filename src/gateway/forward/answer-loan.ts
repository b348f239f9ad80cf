import type { Loan } from '../client/entity-budget.ts';
import type { Exchange } from '../client/exchange.ts';

/** No memory is left to hold more of the answer. */
export class AnswersSaturated extends Error {}

/** The memory that one answer uses while the gateway holds it. It counts with the bodies of requests. */
export class AnswerLoan {
  readonly #exchange: Exchange;
  #loan: Loan | undefined;
  #taken = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Reserves memory. False: none is left. */
  take(bytes: number): boolean {
    this.#loan ??= this.#open();
    this.#taken += bytes;
    return this.#loan.take(bytes);
  }

  /** Reserves memory for all that is held now. False: none is left. */
  holds(bytes: number): boolean {
    if (bytes === 0) this.end();
    return bytes <= this.#taken || this.take(bytes - this.#taken);
  }

  end(): void {
    this.#taken = 0;
    this.#loan?.end();
  }

  #open(): Loan {
    const { shared, head, response } = this.#exchange;
    const loan = shared.bodies.open(head.origin.address, shared.limits.share, () =>
      shared.fullShares.met('limits', head),
    );
    response.once('close', () => loan.end());
    return loan;
  }
}
