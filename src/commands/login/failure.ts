/** Why a login gives no token, with a remedy. The message is one line for the person at the terminal. */
export class LoginFailure extends Error {}
