/** The exit status that a shell shows for a program that SIGPIPE ended. Node.js ignores SIGPIPE, and gets an error instead. */
export const READER_LEFT = 141;

/**
 * Ends the process without a message if the reader of standard output leaves, such as `head`. A command with its own listener
 * for the error decides itself: the two programs keep running without their log.
 */
export function endIfReaderLeaves(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (process.stdout.listenerCount('error') > 1) return;
    if (error.code !== 'EPIPE') throw error;
    process.exit(READER_LEFT);
  });
}
