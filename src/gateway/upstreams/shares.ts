import { rememberedBlocks, shareOf } from '../../base/client-address.ts';

/** The current capacity of an upstream. It changes as URLs become healthy or unhealthy. */
export interface Offer {
  /** Connections, and connections plus waiting requests. */
  readonly connections: number;
  readonly capacity: number;
}

/** A request that needs a connection to an upstream. */
export interface Applicant {
  /** The client's address. */
  readonly address: string;
  /** `limits.share`. */
  readonly share: number;
  /** The request may use a connection now. */
  go(): void;
  /** The request waited, and another address that uses less takes its place. */
  giveWay(): void;
}

/** This many accounts are kept while empty, because most addresses return soon. */
const FEW = 64;

/** What one address uses of one upstream. */
class Account {
  readonly block: string;
  readonly line: RequestShare[] = [];
  connections = 0;
  tunnels = 0;

  constructor(block: string) {
    this.block = block;
  }

  get all(): number {
    return this.connections + this.tunnels + this.line.length;
  }
}

/** One request's share, from its arrival to its end. */
export class RequestShare {
  readonly applicant: Applicant;
  readonly account: Account;
  readonly #shares: Shares;
  state: 'waits' | 'connection' | 'tunnel' | 'left' = 'waits';

  constructor(shares: Shares, account: Account, applicant: Applicant) {
    this.#shares = shares;
    this.account = account;
    this.applicant = applicant;
  }

  get waits(): boolean {
    return this.state === 'waits';
  }

  /** A tunnel does not count among the connections that addresses share. */
  becomesTunnel(): void {
    if (this.state === 'connection') this.#shares.move(this, 'tunnel');
  }

  /** A second call does nothing. */
  leave(): void {
    if (this.state !== 'left') this.#shares.move(this, 'left');
  }
}

/**
 * The connections of one upstream, shared among client addresses. No address has more than its share at a time, so one
 * connection is always left for another address. A running request cannot be stopped, so the limit applies even without
 * competition. Requests above the share wait in a queue of their own. They are rejected only if all places are taken.
 */
export class Shares {
  readonly #accounts = new Map<string, Account>();
  readonly #blockOf = rememberedBlocks();
  /** The current capacity, which the owner updates. */
  readonly #offer: Offer;

  constructor(offer: Offer) {
    this.#offer = offer;
  }

  /** If the state is `waits`, `go` is called later. */
  enter(applicant: Applicant): RequestShare {
    const account = this.#accountOf(applicant.address);
    const place = new RequestShare(this, account, applicant);
    if (account.line.length === 0 && this.#mayGo(account, applicant)) this.#admit(place);
    else account.line.push(place);
    return place;
  }

  /**
   * Whether an address may open another tunnel. No request waits for a tunnel's connection, but all places of an
   * address together are at most its share. A tunnel may last for ever, so no request waits until one ends.
   */
  mayTunnel({ address, share }: Pick<Applicant, 'address' | 'share'>): boolean {
    return (this.#accounts.get(this.#blockOf(address))?.all ?? 0) < shareOf(share, this.#offer.capacity);
  }

  /**
   * If every place is taken: takes a place from an address that exceeds its share, for one that has less than its
   * share. False: there is none.
   */
  makeRoom(wanting: Pick<Applicant, 'address' | 'share'>): boolean {
    const last = this.#lastOfRich(wanting);
    last?.leave();
    last?.applicant.giveWay();
    return last !== undefined;
  }

  /** Whether `makeRoom` would succeed. Changes nothing. */
  mayMakeRoom(wanting: Pick<Applicant, 'address' | 'share'>): boolean {
    return this.#lastOfRich(wanting) !== undefined;
  }

  #lastOfRich({ address, share }: Pick<Applicant, 'address' | 'share'>): RequestShare | undefined {
    const most = shareOf(share, this.#offer.capacity);
    if ((this.#accounts.get(this.#blockOf(address))?.all ?? 0) >= most) return undefined;
    return this.#accounts
      .values()
      .find(({ all, line }) => all > most && line.length > 0)
      ?.line.at(-1);
  }

  /** How many connections each address has; for tests and views. */
  held(): ReadonlyMap<string, number> {
    return new Map(this.#accounts.values().map(({ block, connections }) => [block, connections]));
  }

  move(place: RequestShare, to: 'tunnel' | 'left'): void {
    const { account, state } = place;
    place.state = to;
    if (to === 'tunnel') account.tunnels++;
    if (state === 'connection') this.#free(place);
    if (state === 'waits') account.line.splice(account.line.indexOf(place), 1);
    if (state === 'tunnel') account.tunnels--;
    if (state !== 'connection') this.#serve(account);
  }

  /**
   * If an address uses its whole share, the connection counts for two more turns. By then an engine knows that the
   * connection is free and opens no other one.
   */
  #free({ account, applicant }: RequestShare): void {
    if (account.connections < shareOf(applicant.share, this.#offer.connections)) this.#freed(account);
    else setImmediate(() => setImmediate(() => this.#freed(account)));
  }

  #freed(account: Account): void {
    account.connections--;
    this.#serve(account);
  }

  #accountOf(address: string): Account {
    const block = this.#blockOf(address);
    const known = this.#accounts.get(block);
    if (known !== undefined) return known;
    const account = new Account(block);
    this.#accounts.set(block, account);
    return account;
  }

  #mayGo({ connections }: Account, { share }: Applicant): boolean {
    return connections < shareOf(share, this.#offer.connections);
  }

  #admit(place: RequestShare): void {
    place.account.connections++;
    place.state = 'connection';
  }

  #serve(account: Account): void {
    for (let [next] = account.line; next !== undefined && this.#mayGo(account, next.applicant); [next] = account.line) {
      account.line.shift();
      this.#admit(next);
      next.applicant.go();
    }
    if (this.#accounts.size > FEW && account.all === 0) this.#accounts.delete(account.block);
  }
}
