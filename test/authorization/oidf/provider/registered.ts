/** A client of the suite. */
export interface RegisteredRp {
  readonly id: string;
  readonly secret: string;
  readonly method: 'client_secret_basic' | 'client_secret_post';
}

export const client: RegisteredRp = {
  id: 'suite',
  secret: 'cs_suite-secret-of-32-bytes-or-more',
  method: 'client_secret_basic',
};

export const second: RegisteredRp = { ...client, id: 'suite2', secret: 'cs_suite2-secret-of-32-bytes-or-more' };

export const posting: RegisteredRp = { ...client, id: 'suite-post', method: 'client_secret_post' };
