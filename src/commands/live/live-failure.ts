/** Why a command cannot watch a gateway, with a remedy. The message is for the person at the terminal. */
export class LiveFailure extends Error {}
