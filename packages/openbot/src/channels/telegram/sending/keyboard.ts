import type { ReplyPayload } from '../../../outbox/reply-payload.ts';
import { readObject, readObjects } from '../../http/hostile-json.ts';
import { readName, readText } from '../read-json.ts';

/** Bytes of what a button gives back. */
const MAX_DATA = 64;
const MAX_BUTTONS = 30;

/**
 * Buttons below a message: the answers to a question, or those of `channelData.telegram.buttons` as OpenClaw has them. The word of a button that is
 * too long for Telegram can be written all the same, so such buttons are left out.
 */
export function makeKeyboard(payload: ReplyPayload): Record<string, unknown> {
  const { answers } = (payload.question ?? {}) as { answers?: unknown };
  const own = readObject(payload.channelData?.telegram)?.buttons;
  const rows = [
    readObjects(answers).flatMap(({ word, label }) => makeButton(label ?? word, word)),
    ...(Array.isArray(own) ? own : []).map((row) =>
      readObjects(row).flatMap(({ text, callback_data }) => makeButton(text, callback_data)),
    ),
  ].filter((row) => row.length > 0);
  if (rows.length === 0) return {};
  return { reply_markup: { inline_keyboard: rows.slice(0, MAX_BUTTONS) } };
}

function makeButton(label: unknown, word: unknown): { text: string; callback_data: string }[] {
  const [text, data] = [readName(label), readText(word)];
  if (text === undefined || !data || Buffer.byteLength(data) > MAX_DATA) return [];
  return [{ text, callback_data: data }];
}
