import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apiErrors, call, type ErrorReply, say } from '../../../../../test/imitations/messages-format.ts';
import { HUNT, LONG, sample } from '../../../../../test/setup/hunt.ts';
import { abortReason } from '../../../src/runners/abort.ts';
import type { RunRequest } from '../../../src/runners/contract.ts';
import { answer, count, missing, useClaude } from './claude-talk.ts';

const refuse = (status: number, type: string, message: string): ErrorReply => ({
  status,
  type,
  message,
  headers: { 'x-should-retry': 'false' },
});

describe.skipIf(missing !== undefined)(`failures of Claude Code${missing ? `: ${missing}` : ''}`, () => {
  const claude = useClaude();

  it('have a kind, and the conversation goes on after each of them with every word', HUNT, async () => {
    const talk = await claude.openTalk();
    await talk.ask('hello', [answer('Hello.')]);
    const id = talk.ownId();
    const cases = sample(
      [
        ['unauthorised', false, refuse(401, 'authentication_error', 'invalid x-api-key')],
        ['unauthorised', false, refuse(403, 'permission_error', 'Not allowed')],
        ['exhausted', false, refuse(402, 'billing_error', 'No money')],
        ['rate-limited', true, apiErrors.rateLimit()],
        ['overloaded', true, apiErrors.overloaded()],
        ['overloaded', true, refuse(500, 'api_error', 'Internal server error')],
        [undefined, false, apiErrors.invalidRequest('something else')],
      ],
      { gate: 3 },
    );
    for (const [index, [failure, isTransient, reply]] of cases.entries()) {
      const events = await talk.ask(`question ${index}.`, () => reply);
      expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'error', isTransient });
      expect((events.at(-1) as { failure?: string }).failure).toBe(failure);
      if (failure === 'unauthorised')
        expect(events.at(-1)).toMatchObject({ hint: expect.stringContaining('ANTHROPIC_API_KEY') });
    }
    await talk.ask('are you back?', [answer('I am.')]);
    expect(talk.ownId()).toBe(id);
    const text = claude.receivedText();
    for (const index of cases.keys()) expect(count(text, `question ${index}.`)).toBe(1);
    expect(talk.session.messages().filter((message) => message.startsWith('assistant'))).toEqual([
      'assistant: Hello.',
      'assistant: I am.',
    ]);
  });

  it('say what to set where there is no key, and that a provider cannot be reached', async () => {
    const { events: noKey } = await fail({ ANTHROPIC_API_KEY: '' });
    expect(noKey.at(-1)).toMatchObject({
      failure: 'unauthorised',
      error: expect.stringMatching(/not logged in/i),
      hint: expect.stringMatching(/ANTHROPIC_API_KEY.*CLAUDE_CODE_OAUTH_TOKEN.*log in/),
    });
    const { events: down } = await fail({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      CLAUDE_CODE_MAX_RETRIES: '0',
    });
    expect(down.at(-1)).toMatchObject({ failure: 'unreachable', isTransient: true });
  });

  const fail = async (env: Record<string, string>) => {
    const talk = await claude.openTalk({ env });
    return { talk, events: await talk.ask('hello', [answer('Hello.')]) };
  };

  it('leave one answer where the stream was cut and asked for again', LONG, async () => {
    const talk = await claude.openTalk();
    const events = await talk.ask('tell', (_request, requests) =>
      requests === 0 ? { blocks: [say('Once upon a')], breaksOff: 'cut' } : answer('Once upon a time.'),
    );
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
    expect(talk.session.messages()).toEqual(['user: tell', 'assistant: Once upon a time.']);
  });

  it('by an abort in a tool end the tool and its processes, and the next run knows of it', LONG, async () => {
    const config = { agents: { defaults: { claude: { tools: ['Bash'] } } } };
    const talk = await claude.openTalk({ config });
    const controller = new AbortController();
    const pidFile = `${talk.session.workspaceDir}/pid`;
    const command = `echo $$ > ${pidFile}; sleep 300`;
    const replies = [
      { blocks: [say('I wait.'), call('toolu_sleep', 'Bash', { command, description: 'waits' })] },
    ];
    const request: Partial<RunRequest> = { signal: controller.signal };
    const running = talk.ask('wait', replies, request);
    while (!existsSync(pidFile) || readFileSync(pidFile, 'utf8').trim() === '')
      await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(abortReason('person'));
    expect((await running).at(-1)).toMatchObject({ reason: 'aborted' });
    const results = talk.session.lines().filter(({ message }) => message?.role === 'toolResult');
    expect(results).toHaveLength(1);
    expect(existsSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}`)).toBe(false);
    const locks = readdirSync(`${claude.bench.home.config}/openbot-locks`);
    expect(locks.filter((name) => name.endsWith('.run.json'))).toEqual([]);
    const id = talk.ownId();
    await talk.ask('what did you do?', [answer('I waited.')]);
    expect(talk.ownId()).toBe(id);
    expect(count(claude.receivedText(), 'I wait.')).toBe(1);
  });
});
