import {
  composeEntry,
  composeHeader,
  composeLine,
  type TranscriptMessage,
} from '@openbot/sessions/transcript';
import { CONVERSATION, type DemoCall, type DemoTurn } from './conversation.ts';
import { composeOutput, type Dice, makeDice } from './tool-output.ts';

interface DemoSession {
  readonly sessionId: string;
  readonly cwd: string;
  /** When the last message was written, in milliseconds. */
  readonly endedAt: number;
  readonly turns?: readonly DemoTurn[];
}

const TURN_MS = 9 * 60_000;
const STEP_MS = 4_000;
/** A system prompt and tool definitions, and how this model counts. */
const PROMPT_TOKENS = 10_400;
const TOKENS_PER_CHARACTER = 0.27;

/** A transcript as OpenClaw writes it, line by line. The same session gives the same lines. */
export function composeSession(session: DemoSession): string[] {
  const turns = session.turns ?? CONVERSATION;
  const dice = makeDice(turns.length);
  const startedAt = session.endedAt - turns.length * TURN_MS;
  const transcript = new TranscriptLines(session, startedAt);
  turns.forEach((turn, number) => {
    transcript.moveTo(session.endedAt - (turns.length - number - 1) * TURN_MS - stepsOf(turn) * STEP_MS);
    addTurn(transcript, turn, number, dice);
  });
  return transcript.lines;
}

const stepsOf = ({ calls }: DemoTurn): number => 1 + 2 * calls.length;

function addTurn(
  transcript: TranscriptLines,
  { asked, answered, calls }: DemoTurn,
  number: number,
  dice: Dice,
) {
  transcript.add({ role: 'user', content: [{ type: 'text', text: asked }] });
  calls.forEach((call, step) => {
    const id = `call_${number}_${step}`;
    transcript.addReply([...introduce(call, step), toolCall(id, call)], 'toolUse');
    const text = composeOutput(call, dice);
    transcript.add({
      role: 'toolResult',
      toolCallId: id,
      toolName: call[0],
      content: [{ type: 'text', text }],
      ...(call[0] === 'exec' ? { details: { status: 'completed', exitCode: 0, aggregated: text } } : {}),
      isError: false,
    });
  });
  transcript.addReply([{ type: 'text', text: answered }], 'stop');
}

function introduce([tool, target]: DemoCall, step: number): unknown[] {
  if (step > 0) return [];
  return [{ type: 'text', text: tool === 'exec' ? 'Let me run that.' : `Let me look at ${target}.` }];
}

function toolCall(id: string, [tool, target]: DemoCall) {
  const argumentsOf = {
    read: { path: target },
    exec: { command: target, workdir: '~/greenhouse' },
    grep: { pattern: target, path: 'src', glob: '*.ts' },
    edit: {
      path: target,
      edits: [{ oldText: 'as it was\n'.repeat(14), newText: 'as it should be\n'.repeat(16) }],
    },
    web_fetch: { url: target, extractMode: 'markdown' },
  };
  return { type: 'toolCall', id, name: tool, arguments: argumentsOf[tool] };
}

/** Lines that hang from each other, and the context that they have filled so far. */
class TranscriptLines {
  readonly lines: string[];
  #at: number;
  #parentId: string | null = null;
  #characters = 0;

  constructor({ sessionId, cwd }: DemoSession, startedAt: number) {
    this.#at = startedAt;
    const timestamp = new Date(startedAt).toISOString();
    this.lines = [composeLine(composeHeader({ sessionId, cwd, timestamp }))];
  }

  moveTo(ms: number): void {
    this.#at = ms;
  }

  add(message: TranscriptMessage): void {
    this.#at += STEP_MS;
    this.#characters += JSON.stringify(message.content).length;
    const id = this.lines.length.toString(16).padStart(8, '0');
    const place = { id, parentId: this.#parentId, timestamp: new Date(this.#at).toISOString() };
    this.lines.push(
      composeLine(composeEntry({ type: 'message', message: { ...message, timestamp: this.#at } }, place)),
    );
    this.#parentId = id;
  }

  addReply(content: readonly unknown[], stopReason: 'stop' | 'toolUse'): void {
    const output = 40 + Math.round(JSON.stringify(content).length * TOKENS_PER_CHARACTER);
    const input = 12;
    const cacheRead = Math.round(PROMPT_TOKENS + this.#characters * TOKENS_PER_CHARACTER);
    this.add({
      role: 'assistant',
      content,
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      usage: { input, output, cacheRead, cacheWrite: 0, totalTokens: input + output + cacheRead },
      stopReason,
    });
  }
}
