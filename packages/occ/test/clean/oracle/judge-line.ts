import { expect } from 'vitest';
import type { ExpectedLine } from './expect-gone.ts';
import { judgeArguments, judgeContent, judgeCopy, same } from './judge-cut.ts';
import { isCall, isThinking, type Json, type OracleDialect } from './read-line.ts';

/**
 * Checks a line that stayed: with what had to go taken out of the old value, and what had to be shortened taken from the
 * new one once it was judged, both must be the same, members in their order. Usage is judged elsewhere.
 * @param linked the old value with its links as they must be
 */
export function judgeLine(expected: ExpectedLine, linked: Json, after: Json, dialect: OracleDialect): void {
  const want = structuredClone(linked);
  const got = structuredClone(after);
  const [wantMessage, gotMessage] = [messageIn(want), messageIn(got)];
  if (Array.isArray(wantMessage.content) && Array.isArray(gotMessage.content)) {
    wantMessage.content = expectBlocks(expected, wantMessage.content as Json[], gotMessage.content as Json[]);
  }
  const { results } = expected;
  if (dialect === 'openclaw' && results[0] === 'truncate') {
    adopt(wantMessage, gotMessage, 'content', judgeContent);
    adopt(wantMessage, gotMessage, 'details', judgeCopy);
  }
  if (wantMessage.role === 'bashExecution') adopt(wantMessage, gotMessage, 'output', judgeOutput);
  if (dialect === 'claude-code' && results.length > 0) {
    if (results.every((action) => action === 'remove')) delete want.toolUseResult;
    else if (results.every((action) => action === 'truncate')) adopt(want, got, 'toolUseResult', judgeCopy);
  }
  const isAssistant = wantMessage.role === 'assistant' || want.type === 'assistant';
  if (isAssistant && wantMessage.usage !== undefined && gotMessage.usage !== undefined) {
    gotMessage.usage = wantMessage.usage;
  }
  expect(JSON.stringify(got)).toBe(JSON.stringify(want));
}

/** What a command of a person's printed is shortened as results are, or whole where its turn stays so. */
function judgeOutput(before: unknown, after: unknown): void {
  if (!same(before, after)) judgeContent(before, after);
}

function messageIn(value: Json): Json {
  return typeof value.message === 'object' && value.message !== null ? (value.message as Json) : value;
}

function expectBlocks(expected: ExpectedLine, blocks: readonly Json[], got: readonly Json[]): Json[] {
  let call = 0;
  let result = 0;
  const want: Json[] = [];
  for (const block of blocks) {
    const copy = { ...block };
    const gotBlock = got[want.length] ?? {};
    if (isCall(block)) {
      const action = expected.calls[call++];
      if (action === 'remove') continue;
      if (action === 'truncate') {
        adopt(
          copy,
          gotBlock,
          block.type === 'toolUse' || block.type === 'tool_use' ? 'input' : 'arguments',
          judgeArguments,
        );
        adopt(copy, gotBlock, 'partialArgs', judgeCopy);
      }
    } else if (block.type === 'tool_result') {
      const action = expected.results[result++];
      if (action === 'remove') continue;
      if (action === 'truncate') adopt(copy, gotBlock, 'content', judgeContent);
    } else if (block.type === 'web_search_tool_result' && blocks.some(isCallOf(block))) {
      if (!want.some(isCallOf(block))) continue;
    } else if (isThinking(block) && expected.losesThinking) continue;
    want.push(copy);
  }
  return want;
}

/** Of a tool that the provider runs itself: call and result are in one message, and go together. */
function isCallOf({ tool_use_id: id }: Json): (block: Json) => boolean {
  return (block) => block.type === 'server_tool_use' && block.id === id;
}

/** Judges what became of a member, and takes it for what was wanted. */
function adopt(want: Json, got: Json, key: string, judge: (before: unknown, after: unknown) => void): void {
  if (!Object.hasOwn(want, key) || !Object.hasOwn(got, key)) return;
  judge(want[key], got[key]);
  want[key] = got[key];
}
