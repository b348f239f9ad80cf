/** The HTTP status of each kind of error page. */
export const errorStatus = {
  unknown_client: 400,
  invalid_client_document: 400,
  invalid_client_host: 400,
  redirect_refused: 400,
  bad_request: 400,
  expired_transaction: 400,
  forged_form: 403,
  too_many_attempts: 429,
  not_found: 404,
  for_programs: 405,
  unavailable: 503,
  server_error: 500,
} as const;

export type ErrorKind = keyof typeof errorStatus;
