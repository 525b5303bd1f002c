import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary, runClaude } from '../../../../test/imitations/claude-binary.ts';
import { call, say } from '../../../../test/imitations/messages-format.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import {
  type AgentMessage,
  AgentSession,
  type AgentSessionRequest,
} from '../../src/agent-session/agent-session.ts';
import { discoverAllSessions, discoverSessions } from '../../src/discover/discover-sessions.ts';
import { listLockedSessions } from '../../src/registry/session-lock.ts';

const binary = findClaudeBinary();
const isMissing = 'missing' in binary;

describe.skipIf(isMissing)(`an agent by Claude Code${isMissing ? `: ${binary.missing}` : ''}`, () => {
  let bench: ClaudeBench;
  beforeAll(async () => {
    bench = await ClaudeBench.open();
  });
  afterAll(() => bench?.close());

  const open = (own: Partial<AgentSessionRequest> = {}) =>
    AgentSession.open({
      agentId: 'main',
      stateDir: bench.stateDir,
      env: { ...bench.home.env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: randomUUID() },
      session: { id: randomUUID(), is: 'new' },
      workspaceDir: bench.home.cwd,
      model: 'sonnet',
      systemPrompt: 'You help.',
      tools: [],
      claudeTools: [],
      mayBegin: async () => true,
      run: async () => ({ text: '', isError: true }),
      permit: async () => ({ isAllowed: false, reason: 'no' }),
      ...own,
    });

  const answer = async (session: AgentSession, text: string): Promise<AgentMessage[]> => {
    const messages: AgentMessage[] = [];
    session.say(text);
    for await (const message of session.messages) {
      messages.push(message);
      if (message.type === 'result') session.closeInput();
    }
    await session.end();
    return messages;
  };

  it('is no session that coding runs list or select, while and after it speaks', async () => {
    const { home, stateDir, api } = bench;
    const id = randomUUID();
    api.setReplies([{ blocks: [say('For the person.')] }, { blocks: [say('For the code.')] }]);
    const session = await open({ session: { id, is: 'new' } });
    expect(listLockedSessions(home.env)).toContain(id);
    await answer(session, 'hello');
    expect(listLockedSessions(home.env)).not.toContain(id);
    const native = await runClaude((binary as { path: string }).path, home, 'fix the code');
    const transcripts = readdirSync(home.projectFolder).filter((name) => name.endsWith('.jsonl'));
    expect(transcripts).toHaveLength(2);
    for (const found of [
      await discoverSessions(home.cwd, { stateDir, env: home.env }),
      await discoverAllSessions({ stateDir, env: home.env }),
    ])
      expect(found.map(({ sessionId }) => sessionId)).toEqual([native.result!.session_id]);
    expect(existsSync(join(stateDir, 'claude-code', 'main', 'sessions.json'))).toBe(false);
  });

  it('holds a tool until its call may begin', async () => {
    bench.api.setReplies([
      {
        blocks: [
          call('toolu_1', 'mcp__openbot__look', { at: 'x' }),
          call('toolu_2', 'mcp__openbot__look', {}),
        ],
      },
      { blocks: [say('Looked.')] },
    ]);
    const steps: string[] = [];
    const session = await open({
      tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, isReadOnly: true }],
      mayBegin: async (callId) => {
        steps.push(`asked ${callId}`);
        return callId === 'toolu_1';
      },
      run: async ({ id, name, arguments: args }) => {
        steps.push(`ran ${id} ${name} ${JSON.stringify(args)}`);
        return { text: 'seen', isError: false };
      },
    });
    const messages = await answer(session, 'look');
    expect(steps.toSorted()).toEqual(['asked toolu_1', 'asked toolu_2', 'ran toolu_1 look {"at":"x"}']);
    const results = JSON.stringify(messages.filter(({ type }) => type === 'user'));
    expect(results).toContain('seen');
    expect(results).toContain('ended before the tool began');
  });

  it('keeps nothing of a question apart', LONG, async () => {
    bench.api.setReplies([{ blocks: [say('Short.')] }]);
    const id = randomUUID();
    await answer(await open({ session: { id, is: 'none' } }), 'in short?');
    expect(existsSync(bench.home.transcriptPath(id))).toBe(false);
  });

  it('refuses a session that another one has', async () => {
    bench.api.setReplies([{ blocks: [say('One.')] }]);
    const id = randomUUID();
    const one = await open({ session: { id, is: 'new' } });
    await expect(open({ session: { id, is: 'known' } })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await answer(one, 'hello');
  });
});
