import type { SessionEntry } from '../../entry/session-entry.ts';
import { type MomentParams, readMoment } from '../moment.ts';
import { openPlace, type PlaceParams } from '../session-place.ts';
import { changeEntry } from './change-entry.ts';

/**
 * Remembers the Claude Agent SDK's session behind this one, for readSdkSessionId to find; undefined forgets it, the
 * older spellings included. Null when there is no entry, or it is another session's by now.
 */
export async function setSdkSessionId(
  params: PlaceParams &
    MomentParams & {
      sessionKey: string;
      sdkSessionId: string | undefined;
      /** The session that the SDK's belongs to: a run that ends after a reset must not revive what was reset. */
      sessionId?: string;
    },
): Promise<SessionEntry | null> {
  const sdkSessionId = params.sdkSessionId?.trim() || undefined;
  return changeEntry(openPlace(params), readMoment(params), {
    sessionKey: params.sessionKey,
    sessionId: params.sessionId,
    isActivity: sdkSessionId !== undefined,
    patch: (entry) => {
      if (sdkSessionId !== undefined) return { sdkSessionId };
      const { 'claude-cli': _, ...others } = entry.cliSessionIds ?? {};
      return {
        sdkSessionId,
        claudeCliSessionId: undefined,
        cliSessionIds: Object.keys(others).length === 0 ? undefined : others,
      };
    },
  });
}
