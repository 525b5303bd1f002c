import { OpenBotError } from '@openbot/sessions';
import { type KeptFile, readKeptPath } from '../backups/backup-names.ts';
import { expandPath, statFile } from '../layout/look-at-disk.ts';
import type { TranscriptHead } from '../storage/contract/finding.ts';
import type { FoundSession, SearchScope } from '../storage/contract/found-session.ts';
import {
  assertDemanded,
  findSessionOfTranscript,
  isMeantAsPath,
  recogniseSource,
} from './session-at-path.ts';

/** The backup or original that a name means by its path; undefined for any other name. */
export function findKeptFile(scope: SearchScope, name: string): KeptFile | undefined {
  if (!isMeantAsPath(scope, name)) return undefined;
  const path = expandPath(name, scope);
  const kept = readKeptPath(path);
  return kept === undefined || statFile(path) === undefined ? undefined : kept;
}

/** The session that a kept state is of. Where that is gone, what it would be. */
export function sessionOfKept(
  scope: SearchScope,
  { path, transcriptPath }: KeptFile,
  head: TranscriptHead | undefined,
): FoundSession {
  const session = findSessionOfTranscript(scope, transcriptPath);
  if (session !== undefined) return session;
  const source = recogniseSource(scope, transcriptPath, head);
  if (source === undefined) {
    throw new OpenBotError(
      'SESSION_UNSUPPORTED',
      `${path} is not a transcript of OpenClaw, pi or Claude Code`,
      {
        hint: 'Nothing was changed. It is empty or damaged; occ restore --list shows the other backups',
      },
    );
  }
  assertDemanded(scope, path, source.name);
  return source.describeGone(transcriptPath, head, scope);
}
