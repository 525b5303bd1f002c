import { blockKeyOf, listBlocks } from '../../turn/deliver.ts';
import { parseReplyDirectives } from '../../turn/reply/parse-reply-directives.ts';
import type { StreamPlace, TurnStream } from './contract.ts';

/** Shorter paragraphs wait for the next one: a message for each line of a list would be a flood. */
const LEAST = 120;

/** Sends paragraphs when they are done, and all that was said before a tool is called. The reply has the rest. */
export function streamBlocks({ tools, turnId, replyToId, put }: StreamPlace): TurnStream {
  let text = '';
  let isOver = false;
  let count: number | undefined;
  let putting: Promise<void> = Promise.resolve();

  const send = (block: string) => {
    if (block.trim() === '' || isOver) return;
    const { text: words } = parseReplyDirectives(block);
    // Files and directives are for the reply, and what comes behind them waits for it.
    if (words !== block.trim()) {
      isOver = true;
      return;
    }
    putting = putting
      .then(async () => {
        count ??= (await listBlocks(tools.outbox, turnId)).length;
        const isFirst = count === 0;
        const payload = { text: words, ...(isFirst && replyToId !== undefined && { replyToId }) };
        if (!(await put(blockKeyOf(turnId, count++), payload))) isOver = true;
      })
      // The reply has what was not put.
      .catch(() => {
        isOver = true;
      });
  };
  return {
    onEvent: (event) => {
      if (event.type === 'text') {
        text += event.delta;
        const end = endOfBlocks(text);
        if (end < LEAST) return;
        send(text.slice(0, end));
        text = text.slice(end);
      } else if (event.type === 'tool-call') {
        send(text);
        text = '';
      } else if (event.type === 'message-end') {
        text = '';
      }
    },
    settle: async () => {
      isOver = true;
      await putting;
    },
  };
}

/** Behind the last blank line that is in no code block. */
function endOfBlocks(text: string): number {
  let end = 0;
  let isCode = false;
  let at = 0;
  for (const line of text.split('\n')) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    at += line.length + 1;
    // The last line may go on.
    if (at > text.length) break;
    if (line.trim() === '' && !isCode) end = at;
  }
  return end;
}
