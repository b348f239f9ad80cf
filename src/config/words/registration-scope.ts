/** The scope of an initial access token (RFC 7591 §3). */
export const REGISTRATION_SCOPE = 'clients.register';
