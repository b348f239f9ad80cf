/**
 * Every refusal of the authorization service: its stable code, its status, the `error` on the wire and the sentence
 * that the client reads. RFC 6749 §5.2 unless noted.
 */
export interface OAuthErrorEntry {
  readonly status: 400 | 401 | 404 | 405 | 413 | 429 | 500 | 503;
  /** Where it differs from the code. */
  readonly error?: string;
  readonly text: string;
}

export const oauthErrors = {
  invalid_request: { status: 400, text: 'The request is malformed.' },
  invalid_client: { status: 401, text: 'Client authentication failed.' },
  invalid_grant: { status: 400, text: 'The grant or token is not valid for this client.' },
  unauthorized_client: { status: 400, text: 'The client may not use this grant type.' },
  unsupported_grant_type: { status: 400, text: 'The grant type is not supported.' },
  invalid_scope: { status: 400, text: 'The scope is malformed or exceeds what the client registered.' },
  /** RFC 8707 §2. */
  invalid_target: { status: 400, text: 'The resource is unknown.' },
  too_many_attempts: {
    status: 429,
    error: 'temporarily_unavailable',
    text: 'Too many failed attempts; try again later.',
  },
  temporarily_unavailable: { status: 503, text: 'The service cannot answer at the moment; try again later.' },
  server_error: { status: 500, text: 'The service failed.' },
  method_not_allowed: { status: 405, error: 'invalid_request', text: 'The endpoint does not take this method.' },
  content_too_large: { status: 413, error: 'invalid_request', text: 'The request body is too large.' },
  not_found: { status: 404, error: 'invalid_request', text: 'There is no endpoint at this path.' },
} as const satisfies Record<string, OAuthErrorEntry>;

export type OAuthErrorCode = keyof typeof oauthErrors;

export interface OAuthErrorOptions {
  /** Instead of the sentence of the table; reaches the client. */
  readonly description?: string;
  /** For the log; never sent. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly description: string;
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: OAuthErrorCode, options: OAuthErrorOptions = {}) {
    super(code);
    this.name = 'OAuthError';
    this.code = code;
    this.status = oauthErrors[code].status;
    this.description = describable(options.description ?? oauthErrors[code].text);
    this.detail = options.detail;
    this.headers = options.headers ?? {};
  }

  /** The body of the answer, RFC 6749 §5.2. */
  body(): { error: string; error_description: string } {
    const entry: OAuthErrorEntry = oauthErrors[this.code];
    return { error: entry.error ?? this.code, error_description: this.description };
  }
}

/** `error_description` takes %x20-21 / %x23-5B / %x5D-7E only (RFC 6749 §5.2). */
function describable(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 200);
}
