import { hexMaker, resultLength, seeded, textMaker } from './generated-text.ts';
import { LineWriter } from './line-writer.ts';

export interface GeneratedTranscript {
  lines: number;
  bytes: number;
}

export interface TranscriptOptions {
  nonAscii?: boolean;
  seed?: number;
  /**
   * Messages as they come in long sessions: text and thinking before calls, parallel calls, second copies of
   * arguments and outputs. Without it each message holds one call and nothing else.
   */
  mixed?: boolean;
}

export const GENERATED_ID = '5ae5f53e-1a33-4851-aa5f-78e1df28e50b';

const AT = 1794762936013;
const ISO = '2026-11-15T18:15:19.520Z';

/**
 * A transcript as an OpenClaw agent writes it: turns of a person's text, tool calls and their results, mostly
 * results.
 */
export async function generateTranscript(
  path: string,
  targetBytes: number,
  options: TranscriptOptions = {},
): Promise<GeneratedTranscript> {
  const random = seeded(options.seed ?? 1);
  const text = textMaker(random, options.nonAscii ?? true);
  const hex = hexMaker(random);
  const out = new LineWriter(path);
  let parentId: string | null = null;

  /** As OpenClaw's: short, and never twice in a session. In 1 GB some of eight digits would come again. */
  const ids = new Set<string>();
  function newId(): string {
    for (;;) {
      const id = hex(8);
      if (ids.size < ids.add(id).size) return id;
    }
  }

  async function message(body: object): Promise<void> {
    const id = newId();
    await out.write({ type: 'message', id, parentId, timestamp: ISO, message: body });
    parentId = id;
  }
  const assistant = (content: object[], stopReason: string) => ({
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    usage: usageAt(1200 + out.lines),
    stopReason,
    timestamp: AT,
  });
  const result = (toolCallId: string, toolName: string, output: string, details?: object) => ({
    role: 'toolResult',
    toolCallId,
    toolName,
    content: [{ type: 'text', text: output }],
    details,
    isError: false,
    timestamp: AT,
  });

  async function plainRound(round: number): Promise<void> {
    const id = `call_${hex(16)}`;
    const name = round % 3 === 0 ? 'exec' : 'read';
    const call = { type: 'toolCall', id, name, arguments: { path: `src/${hex(8)}.ts` } };
    await message(assistant([call], 'toolUse'));
    await message(result(id, name, text(resultLength(random))));
  }

  async function mixedRound(round: number): Promise<void> {
    const content: object[] = [];
    if (random() < 0.3) {
      content.push({ type: 'thinking', thinking: text(600), thinkingSignature: hex(320) });
    }
    if (random() < 0.6) content.push({ type: 'text', text: text(120) });
    const calls = Array.from({ length: random() < 0.2 ? 2 + Math.floor(random() * 2) : 1 }, (_, index) => {
      const exec = (round + index) % 3 === 0;
      const given = exec ? { command: `grep -rn "${hex(8)}" src | head -40` } : { path: `src/${hex(8)}.ts` };
      const call = {
        type: 'toolCall',
        id: `call_${hex(16)}`,
        name: exec ? 'exec' : 'read',
        arguments: given,
        partialArgs: random() < 0.3 ? JSON.stringify(given) : undefined,
      };
      content.push(call);
      return call;
    });
    await message(assistant(content, 'toolUse'));
    for (const { id, name } of calls) {
      const output = text(resultLength(random));
      const copied = name === 'exec' && random() < 0.4;
      const details = {
        status: 'completed',
        exitCode: 0,
        durationMs: 41,
        aggregated: output,
        cwd: '/home/user',
      };
      await message(result(id, name, output, copied ? details : undefined));
    }
  }

  await out.write({ type: 'session', version: 3, id: GENERATED_ID, timestamp: ISO, cwd: '/home/user/work' });
  while (out.size < targetBytes) {
    await message({ role: 'user', content: [{ type: 'text', text: text(160) }], timestamp: AT });
    const rounds = 4 + Math.floor(random() * 8);
    for (let round = 0; round < rounds; round++) {
      if (options.mixed) await mixedRound(round);
      else await plainRound(round);
    }
    await message(assistant([{ type: 'text', text: text(400) }], 'stop'));
  }
  return out.finish();
}

function usageAt(input: number): object {
  return {
    input,
    output: 80,
    cacheRead: 300,
    cacheWrite: 100,
    totalTokens: input + 480,
    cost: { input: 0.0036, output: 0.0012, cacheRead: 0.00009, cacheWrite: 0.000375, total: 0.005265 },
  };
}
