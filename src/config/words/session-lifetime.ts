/** Seconds for which a user stays signed in. The session also ends when the browser closes. */
export const SESSION_LIFETIME = 12 * 3600;
