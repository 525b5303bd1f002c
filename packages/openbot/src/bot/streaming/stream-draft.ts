import { readSendFailure } from '../../channels/send-failure.ts';
import { draftKeyOf, firstReplyKeyOf } from '../../turn/deliver.ts';
import { parseReplyDirectives } from '../../turn/reply/parse-reply-directives.ts';
import { SILENT_REPLY_TOKEN } from '../../turn/reply/tokens.ts';
import type { StreamPlace, TurnStream } from './contract.ts';

/** People do not read faster. ms */
const EVERY_MS = 1500;
/** The pause does not grow beyond it. ms */
const SELDOM_MS = 30_000;

/** An edit that takes longer is given up: the reply waits for it. ms */
const EDIT_MS = 10_000;

/**
 * One message that is edited as the text grows. It is in the outbox, whose first reply takes its place: so it is known
 * after a crash, too, and nothing is shown twice.
 */
export function streamDraft(place: StreamPlace): TurnStream {
  const { tools, channel, target, turnId, replyToId, put } = place;
  const { clock, outbox } = tools;
  const { direct = EVERY_MS, group = EVERY_MS } = channel.capabilities.editEveryMs ?? {};
  const key = draftKeyOf(turnId);
  const done: string[] = [];
  let current = '';
  let shown = '';
  let isOver = false;
  let everyMs = place.isGroup ? group : direct;
  let pauseMs = everyMs;
  let cancel: (() => void) | undefined;
  let showing: Promise<void> = Promise.resolve();

  const show = async () => {
    const text = showable([...done, current].join('\n\n'), channel.capabilities.textLimit);
    if (text === '' || text === shown) return;
    const draft = await outbox.get(key);
    if (draft === undefined) {
      const payload = { text, draft: true as const, ...(replyToId !== undefined && { replyToId }) };
      if (!(await put(key, payload))) isOver = true;
      shown = text;
      return;
    }
    if (draft.state === 'dead') isOver = true;
    if (draft.state !== 'sent') return;
    const [id] = draft.ids;
    if (id === undefined) {
      isOver = true;
      return;
    }
    await channel.edit!({ target, id, text, signal: AbortSignal.timeout(EDIT_MS) });
    shown = text;
    pauseMs = everyMs;
  };
  const plan = () => {
    if (cancel !== undefined || isOver) return;
    cancel = clock.after(pauseMs, () => {
      showing = show()
        .catch((error: unknown) => {
          const { isPermanent, retryAfterMs } = readSendFailure(error);
          isOver ||= isPermanent;
          // It stays slower: as often as before would be too often again.
          everyMs = Math.min(2 * everyMs, SELDOM_MS);
          pauseMs = Math.max(everyMs, retryAfterMs);
        })
        .then(() => {
          cancel = undefined;
          // What came meanwhile is shown next.
          if (showable([...done, current].join('\n\n'), channel.capabilities.textLimit) !== shown) plan();
        });
    });
  };
  return {
    onEvent: (event) => {
      if (event.type === 'text') current += event.delta;
      else if (event.type === 'message-end') {
        if (event.text.trim() !== '') done.push(event.text);
        current = '';
      } else return;
      plan();
    },
    settle: async () => {
      isOver = true;
      cancel?.();
      await showing;
    },
    // Stopped, it has no reply: what people see is given its place, so that nothing seems to go on.
    finish: async () => {
      const [draft, reply] = await Promise.all([outbox.get(key), outbox.get(firstReplyKeyOf(turnId))]);
      if (draft === undefined || reply !== undefined || draft.state === 'dead') return;
      if (draft.state === 'sent' && draft.ids.length === 0) return;
      const text = (shown || draft.payload.text || '').replace(/ ?…$/, '');
      if (text !== '') await put(firstReplyKeyOf(turnId), { text });
    },
  };
}

/** Without what is not for people. Empty while it may still become an answer that is none. */
function showable(text: string, limit: number): string {
  const trimmed = text.trim();
  if (SILENT_REPLY_TOKEN.startsWith(trimmed) || trimmed.includes(SILENT_REPLY_TOKEN)) return '';
  // A directive that is not whole yet would be seen for a moment.
  const { text: words } = parseReplyDirectives(trimmed.replace(/\[\[[^\]]*$|(?:^|\n)MEDIA:[^\n]*$/, ''));
  if (words === '') return '';
  return words.length < limit ? `${words} …`.slice(0, limit) : `${words.slice(0, Math.max(1, limit - 1))}…`;
}
