/** The package has no types of its own; this is what the tests use of it. */
declare module 'simple-oauth2' {
  interface Options {
    readonly client: { readonly id: string; readonly secret: string };
    readonly auth: {
      readonly tokenHost: string;
      readonly tokenPath: string;
      readonly authorizePath?: string;
      readonly revokePath: string;
    };
    readonly http?: { readonly json: boolean | 'strict' | 'force' };
    readonly options?: { readonly authorizationMethod: 'header' | 'body' };
  }

  type Parameters = Readonly<Record<string, string>>;

  export interface AccessToken {
    readonly token: Readonly<Record<string, string>>;
    expired(): boolean;
    refresh(parameters?: Parameters): Promise<AccessToken>;
    revoke(kind: 'access_token' | 'refresh_token'): Promise<unknown>;
    revokeAll(): Promise<void>;
  }

  export class AuthorizationCode {
    constructor(options: Options);
    authorizeURL(parameters: Parameters): string;
    getToken(parameters: Parameters): Promise<AccessToken>;
  }

  export class ClientCredentials {
    constructor(options: Options);
    getToken(parameters: Parameters): Promise<AccessToken>;
  }
}
