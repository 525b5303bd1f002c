import { resolveWithinFolder } from '../../disk/canonical-path.ts';
import type { LockOptions } from '../../disk/lock.ts';
import { OpenBotError } from '../../errors.ts';
import { withTranscriptLock } from '../../transcript-file/lock.ts';

/**
 * Runs `body` while the locks of all these transcripts are held, taken in the order given. `onRefused` hears of one that
 * cannot be had, and throws to give up; otherwise the body runs without that lock.
 */
export async function withTranscriptLocks<T>(
  paths: readonly string[],
  options: LockOptions | undefined,
  onRefused: (path: string, error: OpenBotError) => void,
  body: () => Promise<T>,
): Promise<T> {
  const [path, ...rest] = paths;
  if (path === undefined) return body();
  const goOn = () => withTranscriptLocks(rest, options, onRefused, body);
  let isHeld = false;
  const goOnLocked = () => {
    isHeld = true;
    return goOn();
  };
  try {
    return await withTranscriptLock(resolveWithinFolder(path), goOnLocked, options);
  } catch (error) {
    if (isHeld || !(error instanceof OpenBotError)) throw error;
    onRefused(path, error);
  }
  return goOn();
}
