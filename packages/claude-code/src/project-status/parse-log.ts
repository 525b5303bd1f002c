import { shorten } from '@openbot/sessions/terminal-text';
import { hideSecrets } from '../scan/hide-secrets.ts';
import type { CommitSummary } from './project-status.ts';

/** For `git log -z`: each field ends with a NUL, and so does each commit. */
export const LOG_FORMAT = '%H%x00%s%x00%an%x00%aI';
const FIELDS = 4;
const MESSAGE_LIMIT = 200;
const AUTHOR_LIMIT = 100;

export function parseLog(output: Buffer): CommitSummary[] {
  const fields = output.toString('utf8').split('\0');
  const commits: CommitSummary[] = [];
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [sha = '', message = '', author = '', date = ''] = fields.slice(at, at + FIELDS);
    if (!/^[0-9a-f]{40,64}$/.test(sha)) break;
    commits.push({
      sha,
      message: shorten(hideSecrets(message, MESSAGE_LIMIT), MESSAGE_LIMIT),
      author: shorten(author, AUTHOR_LIMIT),
      date,
    });
  }
  return commits;
}
