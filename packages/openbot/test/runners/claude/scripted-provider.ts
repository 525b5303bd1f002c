/** A scripted model behind the imitation of the Messages API: what `script/` plays in our process, for Claude Code. */
import type { MessagesApiOptions } from '../../../../../test/imitations/messages-api.ts';
import {
  apiErrors,
  blocksOf,
  call,
  type MessageReply,
  type MessagesRequest,
  type Reply,
  say,
  think,
} from '../../../../../test/imitations/messages-format.ts';
import type { Script, ScriptStep, ScriptTurn } from '../../../src/runners/script/script.ts';

/** Claude Code's, or ours, for a summary of the conversation. */
const ASKS_FOR_SUMMARY = /Do NOT call any tools|Summarise the conversation/;

export function playOnApi({ turns }: Script): Exclude<MessagesApiOptions['replies'], readonly Reply[]> {
  let next = 0;
  let left: ScriptStep[] = [];
  const choose = (said: string): ScriptTurn | undefined => {
    const fitting = turns.find(({ when }) => when !== undefined && new RegExp(when, 'i').test(said));
    const others = turns.filter(({ when }) => when === undefined);
    return fitting ?? others[Math.min(next++, others.length - 1)];
  };
  return (request) => {
    const { said, hasResults } = readTail(request);
    const usage = { input_tokens: Math.ceil(JSON.stringify(request.messages).length / 4) };
    if (ASKS_FOR_SUMMARY.test(said)) return { blocks: [say('<summary>What was said.</summary>')], usage };
    const isSteered = turns.some(({ when }) => when !== undefined && new RegExp(when, 'i').test(said));
    if (!hasResults || isSteered) left = [...(choose(said)?.steps ?? [])];
    const reply = answer(left);
    return 'blocks' in reply ? { usage, ...reply } : reply;
  };
}

/** What came since the model spoke last. */
function readTail({ messages }: MessagesRequest): { said: string; hasResults: boolean } {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const blocks = messages.slice(at + 1).flatMap(blocksOf);
  // A message that comes during a call is put behind the result, by some versions of Claude Code inside it.
  const said = JSON.stringify(blocks);
  return { said, hasResults: blocks.some(({ type }) => type === 'tool_result') };
}

let calls = 0;

/** One message of the model; what it says later stays in the list. */
function answer(steps: ScriptStep[]): Reply {
  const blocks: MessageReply['blocks'][number][] = [];
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    if ('text' in step) blocks.push(say(step.text));
    else if ('thinking' in step) blocks.push(think(step.thinking));
    else if ('stall' in step) return { blocks, breaksOff: 'stall' };
    else if ('overflow' in step) return again(steps, step, apiErrors.promptTooLong(9000, 1000));
    else if ('fail' in step) {
      const { fail, transient } = step;
      const error = transient ? { ...apiErrors.overloaded(), message: fail } : apiErrors.invalidRequest(fail);
      return again(steps, step, error);
    } else if ('tool' in step || 'tools' in step) {
      for (const { tool, args = {} } of 'tools' in step ? step.tools : [step])
        blocks.push(call(`toolu_${++calls}`, `mcp__openbot__${tool}`, args));
      return { blocks };
    }
  }
  return { blocks: blocks.length === 0 ? [say('Done.')] : blocks };
}

/** Claude Code may try several times. */
function again(steps: ScriptStep[], step: ScriptStep, reply: Reply): Reply {
  steps.unshift(step);
  return reply;
}
