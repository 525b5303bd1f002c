import type { SessionEntry } from '../../entry/session-entry.ts';
import { type MomentParams, readMoment } from '../moment.ts';
import { openPlace, type PlaceParams } from '../session-place.ts';
import { changeEntry } from './change-entry.ts';

/** Notes that the agent has saved its memories, so that it is not asked again before the next compaction. */
export async function markMemoryFlushed(
  params: PlaceParams &
    MomentParams & {
      sessionKey: string;
      sessionId?: string;
      /** The count that the flush belongs to; the entry's own when absent. */
      compactionCount?: number;
    },
): Promise<SessionEntry | null> {
  const moment = readMoment(params);
  return changeEntry(openPlace(params), moment, {
    sessionKey: params.sessionKey,
    sessionId: params.sessionId,
    isActivity: true,
    patch: (entry) => ({
      memoryFlushAt: moment.now,
      memoryFlushCompactionCount: params.compactionCount ?? entry.compactionCount ?? 0,
    }),
  });
}
