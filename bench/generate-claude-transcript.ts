import type { GeneratedTranscript } from './generate-transcript.ts';
import { hexMaker, resultLength, seeded, textMaker } from './generated-text.ts';
import { LineWriter } from './line-writer.ts';

export const GENERATED_CLAUDE_ID = '6bf6064f-2b44-4962-9b60-89f2e039f61c';
/** The folder that Claude Code keeps the generated session's project in, under `projects`. */
export const GENERATED_CLAUDE_SLUG = '-home-user-work';

const TIMESTAMP = '2026-11-15T17:59:21.951Z';
const ENVIRONMENT = {
  userType: 'external',
  entrypoint: 'cli',
  cwd: '/home/user/work',
  sessionId: GENERATED_CLAUDE_ID,
  version: '2.1.325',
  gitBranch: 'main',
};

/**
 * A transcript as Claude Code writes it: a line for each block of a message with the message's usage repeated,
 * results with a second copy in `toolUseResult`, parallel calls that branch, and lines outside of the conversation.
 */
export async function generateClaudeTranscript(
  path: string,
  targetBytes: number,
): Promise<GeneratedTranscript> {
  const random = seeded(2);
  const text = textMaker(random, true);
  const hex = hexMaker(random);
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  const out = new LineWriter(path);
  let parentUuid: string | null = null;

  async function entry(own: object): Promise<string> {
    const id = uuid();
    await out.write({
      parentUuid,
      isSidechain: false,
      ...own,
      uuid: id,
      timestamp: TIMESTAMP,
      ...ENVIRONMENT,
    });
    parentUuid = id;
    return id;
  }
  const sidecar = (type: string, own: object) => out.write({ type, sessionId: GENERATED_CLAUDE_ID, ...own });

  async function assistant(blocks: readonly object[], stopReason: string): Promise<string[]> {
    const message = { id: `msg_${hex(24)}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5' };
    const requestId = `req_${hex(24)}`;
    const usage = usageAt(1200 + out.lines);
    const lines: string[] = [];
    for (const [apiBlockIndex, block] of blocks.entries()) {
      lines.push(
        await entry({
          message: { ...message, content: [block], stop_reason: stopReason, stop_sequence: null, usage },
          apiBlockIndex,
          requestId,
          type: 'assistant',
        }),
      );
    }
    return lines;
  }

  async function round(number: number): Promise<void> {
    const blocks: object[] = [];
    if (random() < 0.3) blocks.push({ type: 'thinking', thinking: text(600), signature: hex(320) });
    if (random() < 0.6) blocks.push({ type: 'text', text: text(120) });
    const calls = random() < 0.2 ? 2 : 1;
    const ids = Array.from({ length: calls }, () => `toolu_${hex(24)}`);
    for (const [index, id] of ids.entries()) {
      const bash = (number + index) % 3 === 0;
      blocks.push({
        type: 'tool_use',
        id,
        name: bash ? 'Bash' : 'Read',
        input: bash
          ? { command: `grep -rn "${hex(8)}" src` }
          : { file_path: `/home/user/work/src/${hex(8)}.ts` },
      });
    }
    const lines = (await assistant(blocks, 'tool_use')).slice(-calls);
    for (const [index, id] of ids.entries()) {
      const output = text(resultLength(random) / 2);
      const bash = (number + index) % 3 === 0;
      // Each result hangs from its own call.
      parentUuid = lines[index]!;
      await entry({
        type: 'user',
        message: {
          role: 'user',
          content: [{ tool_use_id: id, type: 'tool_result', content: output, is_error: false }],
        },
        toolUseResult: bash
          ? { stdout: output, stderr: '', interrupted: false, isImage: false }
          : { type: 'text', file: { filePath: '/home/user/work/src/a.ts', content: output, numLines: 40 } },
        sourceToolAssistantUUID: lines[index],
      });
    }
  }

  while (out.size < targetBytes) {
    const prompt = text(160);
    await sidecar('queue-operation', { operation: 'enqueue', timestamp: TIMESTAMP, content: prompt });
    await sidecar('queue-operation', { operation: 'dequeue', timestamp: TIMESTAMP });
    await entry({ type: 'user', promptId: uuid(), message: { role: 'user', content: prompt } });
    const rounds = 4 + Math.floor(random() * 8);
    for (let number = 0; number < rounds; number++) await round(number);
    await assistant([{ type: 'text', text: text(400) }], 'end_turn');
    await sidecar('last-prompt', { lastPrompt: prompt, leafUuid: parentUuid });
  }
  return out.finish();
}

function usageAt(input: number): object {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 200,
    cache_read_input_tokens: 300,
    output_tokens: 77,
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 200 },
  };
}
