const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts at Ctrl-C, at SIGTERM, or when the terminal closes. Later signals change nothing. */
export function untilSignal(): AbortController {
  const over = new AbortController();
  for (const signal of signals) process.on(signal, () => over.abort());
  return over;
}

/** Ends the process with 0 if the reader of standard output leaves, such as `head` or a closed terminal. Other errors end it as usual. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    process.exit(0);
  });
}
