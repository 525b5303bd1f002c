/**
 * Standard output until nobody reads it any more, as in `openbot cc list | head -1`: that is no fault, and whatever only
 * works for its output stops by the signal. Output that cannot be written, on a full disk, is one, and is told at the end.
 */
export function watchOutput(
  { stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>,
  tellFailure: (error: Error) => void,
): AbortSignal {
  const lost = new AbortController();
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (lost.signal.aborted) return;
    lost.abort(error);
    if (error.code !== 'EPIPE') process.once('exit', () => tellFailure(error));
  });
  // An error that cannot be told is dropped.
  stderr.on('error', () => {});
  return lost.signal;
}
