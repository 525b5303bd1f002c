import { redactSecrets } from '@openbot/sessions';
import { oneLine, shorten } from '@openbot/sessions/terminal-text';
import { splitSystemPart, type TranscriptMessage } from '@openbot/sessions/transcript';
import { MEMORY_FLUSH_MARK } from '../transcripts/contract.ts';
import type { CommandScope } from './contract.ts';

const DEFAULT_TURNS = 5;
const MOST_TURNS = 50;
const MOST_CHARACTERS = 160;

interface HistoryTurn {
  asked: string;
  answered: string;
  calls: number;
}

export async function answerHistory(scope: CommandScope, argument: string): Promise<string> {
  if (argument !== '' && !/^[1-9]\d{0,3}$/.test(argument))
    return `${JSON.stringify(argument)} is no number of turns. Example: /history 10`;
  const wanted = Math.min(argument === '' ? DEFAULT_TURNS : Number(argument), MOST_TURNS);
  const turns = await readTurns(scope, wanted);
  if (turns.length === 0) return 'Nothing was said in this session yet.';
  return turns
    .flatMap(({ asked, answered, calls }) => [
      `> ${asked}`,
      `${answered === '' ? '(no answer)' : answered}${calls === 0 ? '' : ` [${calls} tool ${calls === 1 ? 'call' : 'calls'}]`}`,
    ])
    .join('\n');
}

async function readTurns(
  { transcript, transcripts, plainWords }: CommandScope,
  wanted: number,
): Promise<readonly HistoryTurn[]> {
  if (transcript === undefined) return [];
  const turns: HistoryTurn[] = [];
  let open: HistoryTurn = { asked: '', answered: '', calls: 0 };
  const { entries } = await transcripts.lookBack(transcript);
  for await (const { message } of entries) {
    if (message?.role === 'assistant') {
      open.calls += blocksOf(message).filter(({ type }) => type === 'toolCall').length;
      // From the end backwards: the first that is met is the last that was said.
      if (open.answered === '') open.answered = short(textOf(message));
    } else if (message?.role === 'user') {
      const text = textOf(message);
      const isTold = splitSystemPart(text, { isGuarded: true })?.words === '';
      // What the agent is told in a run belongs to the turn of that run; a memory flush is a run of its own.
      if (isTold && !isOfFlush(message)) continue;
      if (!isTold) turns.unshift({ ...open, asked: short(plainWords(text)) });
      open = { asked: '', answered: '', calls: 0 };
      if (turns.length === wanted) break;
    }
  }
  return turns;
}

function isOfFlush({ idempotencyKey }: TranscriptMessage): boolean {
  return typeof idempotencyKey === 'string' && idempotencyKey.startsWith(MEMORY_FLUSH_MARK);
}

function short(text: string): string {
  return shorten(oneLine(redactSecrets(text.slice(0, 20 * MOST_CHARACTERS))), MOST_CHARACTERS);
}

function textOf(message: TranscriptMessage): string {
  if (typeof message.content === 'string') return message.content;
  return blocksOf(message)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join(' ');
}

function blocksOf({ content }: TranscriptMessage): Record<string, unknown>[] {
  if (!Array.isArray(content)) return [];
  return content.filter((block) => typeof block === 'object' && block !== null) as Record<string, unknown>[];
}
