import type { OpenBotError, Transcript } from '@openbot/sessions';
import { leafOf } from '@openbot/sessions/transcript';
import { RestoreError } from '../errors.ts';
import type { OriginOf } from '../storage/contract/rewriting.ts';

/** The session must go on from where it is: a running agent appends to its leaf. */
export function assertSameLeaf(after: Transcript, now: Transcript, path: string): void {
  const leafNow = leafOf(now);
  const leafAfter = leafOf(after);
  if (leafNow < 0 || (leafAfter >= 0 && after.idOf(leafAfter) === now.idOf(leafNow))) return;
  throw new RestoreError(`What was to replace ${path} would not continue from the end of the session`, {
    hint: 'Nothing was changed. Another program rewrote the session since the backup was made.',
  });
}

/**
 * No line may name another one, as its parent or as what it points at, that was there when it was said and is not. What led
 * nowhere then may lead nowhere again.
 */
export function assertSameLinks(after: Transcript, originOf: OriginOf): void {
  for (let index = 0; index < after.length; index++) {
    const named = [after.parentIdOf(index), after.targetOf(index)].filter(
      (id) => typeof id === 'string' && after.indexOf(id) === undefined,
    ) as string[];
    if (named.length === 0) continue;
    const then = originOf(index)?.transcript;
    if (then === undefined || named.every((id) => then.indexOf(id) === undefined)) continue;
    throw new RestoreError(
      'What was said since the backup was made refers to lines that the backup does not have',
      {
        hint: 'Nothing was changed, since a part of the conversation would be lost. --list shows the other backups.',
      },
    );
  }
}

/** @param why from `findMissedContext` */
export function incompleteContext(why: string, backup: string): OpenBotError {
  return new RestoreError(
    `Since the backup was made, the session was continued from an earlier entry. After a restore, ${why}`,
    {
      hint: `Nothing was changed. --force restores the lines anyway, and says what the model reads. ${backup} is a complete session: occ clone with its path makes a new session from it.`,
    },
  );
}
