import { OpenBotError } from '@openbot/sessions';

/** @throws OpenBotError where the folder was deleted meanwhile */
export function readWorkingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new OpenBotError('USAGE', 'The working folder does not exist any more', {
      hint: 'Go to a folder that exists: cd ~',
    });
  }
}
