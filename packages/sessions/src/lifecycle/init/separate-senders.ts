import { readFormerKey, readOwnKey, readSenderId } from '../../key/former-case.ts';
import { resolveLinkedPeerId } from '../../key/identity-links.ts';
import { listSessionKeySpellings } from '../../key/spellings.ts';
import type { SessionConfig } from '../../policy/session-config.ts';
import type { StoreDraft } from '../../store/contract.ts';
import type { InitRequest } from './init-request.ts';

/**
 * Senders whose ids differ by case once shared an entry. It is that of the sender whom it names, and moves to their key
 * before one of them is answered: nobody goes on in the conversation of another.
 */
export function separateSenders(
  draft: StoreDraft,
  { sessionKey, ctx, isSystemEvent }: InitRequest,
  { identityLinks }: SessionConfig = {},
): void {
  // Only people's messages say whose session it is.
  if (isSystemEvent || !ctx.From) return;
  const former = listSessionKeySpellings(readFormerKey(sessionKey)).find((key) => draft.get(key));
  const entry = former === undefined ? undefined : draft.get(former);
  const origin = entry?.origin;
  if (former === undefined || entry === undefined || typeof origin?.from !== 'string') return;
  // A message that was routed before goes on where it was.
  if (former === sessionKey && origin.from === ctx.From) return;
  const own = readOwnKey(former, origin);
  const peerId = readSenderId(origin);
  if (own === former || peerId === undefined || draft.get(own) !== undefined) return;
  // The key is then a name of the configuration.
  if (resolveLinkedPeerId({ identityLinks, channel: origin.provider, peerId }) !== null) return;
  draft.set(own, entry as Parameters<StoreDraft['set']>[1]);
  draft.delete(former);
}
