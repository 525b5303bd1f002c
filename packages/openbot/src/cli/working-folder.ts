import { UsageError } from '../errors.ts';

/** @throws UsageError where the folder was deleted meanwhile */
export function readWorkingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError('The working folder does not exist any more', 'Go to a folder that exists: cd ~');
  }
}
