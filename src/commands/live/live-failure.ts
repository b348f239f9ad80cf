/** Why a command cannot watch a gateway, with a remedy. The message is for the person at the terminal. */
export class LiveFailure extends Error {}

/** Runs a command, and prints why it cannot watch a gateway. */
export async function sayingWhy(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof LiveFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
