import type { SessionStore } from '@openbot/sessions';
import type { Inbox } from '../inbox/contract.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import type { CleanChoice, TranscriptRef, Transcripts } from '../transcripts/contract.ts';

/** Cleans that were asked for during a turn. A run reads its transcript, so they are done when it has ended. */
export class PendingCleans {
  readonly #waiting = new Map<string, { readonly ref: TranscriptRef; readonly choice: CleanChoice }>();
  readonly #parts: {
    readonly inbox: Inbox;
    readonly transcripts: Transcripts;
    storeOf(agentId: string): SessionStore;
    now(): number;
  };

  constructor(parts: {
    readonly inbox: Inbox;
    readonly transcripts: Transcripts;
    storeOf(agentId: string): SessionStore;
    now(): number;
  }) {
    this.#parts = parts;
  }

  /** The last one of a turn counts. */
  note(turnId: string, ref: TranscriptRef, choice: CleanChoice): void {
    this.#waiting.set(turnId, { ref, choice });
  }

  /** The turn has ended and its session is still locked. The next turn reads what came of it. Does not fail. */
  async carryOut(turnId: string, session: SessionRef, isOver: boolean): Promise<void> {
    const wanted = this.#waiting.get(turnId);
    if (wanted === undefined) return;
    this.#waiting.delete(turnId);
    // The run goes on later, and can ask again then.
    if (!isOver) return;
    const { inbox, transcripts, now, storeOf } = this.#parts;
    const { ref, choice } = wanted;
    const text = await transcripts.clean(ref, choice).then(
      async ({ changed, savedTokens }) => {
        const lastClean = { at: now(), savedTokens, preset: choice.preset, turnId };
        if (changed)
          await storeOf(ref.agentId)
            .update(ref.sessionKey, (entry) => entry && { ...entry, lastClean })
            .catch(() => {});
        return changed
          ? `Your context was cleaned: about ${savedTokens} tokens of old tool calls and results were removed. A backup was made.`
          : 'Your context was not cleaned: there were no old tool calls or results to remove.';
      },
      (error: Error) => `Your context was not cleaned: ${error.message}`,
    );
    await inbox.addEvent(addressOf(session), { text, at: now() }).catch(() => {});
  }
}
