import { scanOpenTranscript } from '@openbot/sessions/transcript';
import { applyPlan, makeLineReader } from '../../rewrite/apply-plan.ts';
import { openSession } from '../../rewrite/open-session.ts';
import type { SessionState } from '../contract/rewriting.ts';
import { type HeldFile, type OpenFile, replaceFile } from './replace-file.ts';
import { findRestoredFile } from './restored-file.ts';

export async function openFileState(held: HeldFile): Promise<SessionState> {
  const { path, entry } = held;
  const file = await openSession(path);
  try {
    const transcript = await scanOpenTranscript(file, path);
    const readLine = makeLineReader(file, transcript);
    const open: OpenFile = { ...held, file, transcript };
    return {
      transcript,
      readLine,
      clean: (plan) => ({
        replace: (steps) =>
          replaceFile(open, (copier) => applyPlan(copier, transcript, plan, readLine), steps),
      }),
      findRestored: (kept, backups) => findRestoredFile(open, kept, backups),
      catchUpEntry: async (change) => entry?.change(change),
      faultHint: `${path} was rewritten by another program at the same time, or the disk is failing.`,
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
