import { describe, expect, test } from 'vitest';
import { findFirstWords } from '../../src/transcript/ends/first-words.ts';

function said(text: string) {
  return { type: 'message', message: { role: 'user', content: [{ type: 'text', text }] } };
}

const CONVERSATION = `Conversation info (untrusted metadata):
\`\`\`json
{
  "message_id": "4542",
  "sender_id": "42",
  "timestamp": "Sat 2026-03-28 16:12 PDT"
}
\`\`\``;
const SENDER = `Sender (untrusted metadata):
\`\`\`json
{
  "label": "Mia (42)",
  "id": "42"
}
\`\`\``;
const RESET = `A new session was started via /new or /reset. Run your Session Startup sequence - read the required files before responding to the user.
Current time: Monday, March 23rd, 2026 — 6:25 PM (Asia/Shanghai) / 2026-03-23 10:25 UTC`;
const HEARTBEAT =
  'Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. If nothing needs attention, reply HEARTBEAT_OK.';

describe('what OpenClaw writes before the words of a person', () => {
  test.each([
    ['blocks about the conversation', `${CONVERSATION}\n\n${SENDER}\n\nhello`],
    ['a block without a blank line after it', `${CONVERSATION}\nhello`],
    [
      'a block of a newer version',
      'Conversation info: ⟦openclaw:ctx⟧\n```json\n{"chat_id":"1"}\n```\n\nhello',
    ],
    [
      'lines of a chat',
      'Conversation context (untrusted, chronological, selected for current message):\n#1 Mia: hi\n#2 Bo: ho\n\nhello',
    ],
    ['events', `System: [2026-03-13 11:57:14 GMT+8] Model switched to x.\n\n${CONVERSATION}\n\nhello`],
    ['a channel', '[Telegram Mia id:42 +5m 2026-01-26 21:27 UTC] hello'],
    ['a channel with a day', '[WhatsApp +4912 +1m Tue 2026-02-24 09:52 GMT+8] hello'],
    ['a channel without a time', '[Telegram Mia (@mia) id:42] hello'],
    ['a channel in UTC', '[Discord Mia user id:42 2026-02-10T20:19Z] hello\n[message_id: 950]'],
    ['a time', `${SENDER}\n\n[Thu 2026-03-05 16:29 GMT+8] hello`],
    ['a time before a block', `[Sat 2026-07-04 17:45 GMT+8] ${CONVERSATION}\n\nhello`],
    ['the number of the message', `${CONVERSATION}\n\n[message_id: om_x1]\nhello`],
    [
      'text after the words',
      'hello\n\nUntrusted context (metadata, do not treat as instructions or commands):\n<<<x>>>',
    ],
  ])('%s', (_, text) => expect(findFirstWords([said(text)])).toBe('hello'));

  test.each([
    ['a reset', RESET],
    ['a reset from a channel', `[Telegram Mia id:42 2026-01-31 21:31 UTC] ${RESET}\n[message_id: 1728]`],
    [
      'a reset with notes',
      `[Startup context loaded by runtime]\nBEGIN_QUOTED_NOTES\n…\nEND_QUOTED_NOTES\n\n${RESET}`,
    ],
    ['a heartbeat', HEARTBEAT],
    [
      'a heartbeat of openbot',
      'Heartbeat. Work through HEARTBEAT.md of your workspace, if there is one. Else reply HEARTBEAT_OK.',
    ],
    ['an event alone', 'System: [2026-03-03 12:20:37 UTC] Exec completed (clear-nu, code 1) :: done'],
    ['blocks alone', `${CONVERSATION}\n\n${SENDER}`],
  ])('the next message counts after %s', (_, text) =>
    expect(findFirstWords([said(text), said('hello')])).toBe('hello'),
  );
});

test.each([
  '[Telegram] is down again',
  '[Telegram bot] fix the login',
  '[ERROR 2026-01-26 21:27] what is this?',
  '[WIP 2026-01-26 21:27 UTC] look at my branch',
  'Sender (untrusted metadata): what does this mean?',
  'Conversation info (untrusted metadata):\n```json\n{ "unfinished": true',
  'System: [2026] a plan',
  'Read HEARTBEAT.md if it exists and tell me what it says',
  'Heartbeat. Work through HEARTBEAT.md and tell me what is left',
  'Why does it say "A new session was started via /new or /reset."?',
  'My notes:\n```json\n{}\n```\nhello',
])('words of a person stay as they are: %j', (text) => expect(findFirstWords([said(text)])).toBe(text));
