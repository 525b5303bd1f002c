import type { SessionEntry } from '../../entry/session-entry.ts';
import type { GroupKeyResolution } from '../../key/group.ts';
import type { MsgContext } from '../../message/msg-context.ts';
import { assertMessage } from '../init/assert-message.ts';
import { type MomentParams, readMoment } from '../moment.ts';
import { openPlace, type PlaceParams } from '../session-place.ts';
import { deriveSessionMeta } from './inbound-meta.ts';
import { recordInEntry } from './inbound-record.ts';

/** Records who and where a message is from: origin, chat type, group, names. `updatedAt` stays as it is. */
export async function recordSessionMetaFromInbound(
  params: PlaceParams &
    MomentParams & {
      sessionKey: string;
      ctx: MsgContext;
      groupResolution?: GroupKeyResolution | null;
      /** True unless given. */
      createIfMissing?: boolean;
    },
): Promise<SessionEntry | null> {
  const { ctx, groupResolution } = params;
  assertMessage(ctx);
  return recordInEntry(
    openPlace(params),
    readMoment(params),
    params.sessionKey,
    params.createIfMissing ?? true,
    (entry) => deriveSessionMeta(ctx, entry, groupResolution),
  );
}
