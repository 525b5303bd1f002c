import { wordsBehindSystemPart } from '../system-part.ts';

/** Text that OpenClaw puts before and after a person's words when they come from a channel, and its own prompts. */

const CHANNELS =
  'WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|BlueBubbles|Teams|MSTeams|Matrix|Mattermost|Zalo Personal|Zalo|Feishu|LINE';
const TIME = '\\d{4}-\\d{2}-\\d{2}[ T]\\d{2}:\\d{2}[^\\]\\n]*';
const BLOCKS =
  'Conversation info|Sender|Thread starter|Replied message|Reply target of current user message|Forwarded message context|Chat history since last reply';
/** Ends every title in newer versions. */
const MARKER = '⟦openclaw:ctx⟧';
const TITLE = `(?:(?:${BLOCKS}) \\((?:untrusted metadata|untrusted, for context)\\):|[^\\n]{1,80} ${MARKER})`;

/** Each is removed from the beginning, in any order. */
const BEFORE: readonly RegExp[] = [
  // Conversation info (untrusted metadata): and an object in a fence
  new RegExp(`^${TITLE}\\n\`\`\`json\\n[\\s\\S]*?\\n\`\`\`(?=\\n|$)`),
  // Conversation context (untrusted, chronological): and lines, up to a blank one
  new RegExp(`^[^\\n]{1,80} (?:\\(untrusted, chronological[^)\\n]*\\):|${MARKER})\\n(?:[^\\n]+(?:\\n|$))+`),
  // [Telegram Mia id:42 +5m 2026-01-26 21:27 UTC]
  new RegExp(`^\\[(?:${CHANNELS})(?: [^\\]\\n]*)? (?:${TIME}|id:[^\\]\\s]+(?: \\+\\d+[smhd])?)\\]`),
  // [Thu 2026-03-05 16:29 GMT+8]
  new RegExp(`^\\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${TIME}\\]`),
  /^\[message_id: [^\]\n]+\](?=\n|$)/,
];
const AFTER: readonly RegExp[] = [
  /\n\[message_id: [^\]\n]+\]\s*$/,
  /\nUntrusted context \(metadata, do not treat as instructions or commands\):\n[\s\S]*$/,
];

const RESET = 'A new session was started via /new or /reset.';
const STARTUP = '[Startup context loaded by runtime]\n';
/** OpenClaw's, and openbot's. */
const HEARTBEATS = ['Read HEARTBEAT.md if it exists', 'Heartbeat. Work through HEARTBEAT.md'];

/** The words of the person in a message; empty where OpenClaw wrote all of it. */
export function stripChannelPreamble(text: string): string {
  let rest = text.trimStart();
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = wordsBehindSystemPart(rest).trimStart();
    for (const form of BEFORE) rest = rest.replace(form, '').trimStart();
  }
  if (isOwnPrompt(rest)) return '';
  for (const form of AFTER) rest = rest.replace(form, '');
  return rest;
}

function isOwnPrompt(text: string): boolean {
  if (HEARTBEATS.some((start) => text.startsWith(start))) return text.includes('HEARTBEAT_OK');
  return text.startsWith(RESET) || (text.startsWith(STARTUP) && text.includes(RESET));
}
