/** A conversation by the claude runner: the real Claude Code, on the imitation of its provider. */
import { afterAll, beforeAll, expect } from 'vitest';
import { ClaudeBench } from '../../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../../../../../test/imitations/claude-binary.ts';
import type { MessagesApiOptions } from '../../../../../test/imitations/messages-api.ts';
import { blocksOf, type Reply, say } from '../../../../../test/imitations/messages-format.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { openClaudeRunner } from '../../../src/runners/claude/runner.ts';
import type { ModelChoice, RunEvent, Runner, RunRequest } from '../../../src/runners/contract.ts';
import { assertTranscriptHolds, collect, makeSession, type TestSession } from '../session.ts';

export const MODEL: ModelChoice = {
  provider: 'claude',
  model: 'claude-sonnet-4-5',
  contextWindow: 200_000,
};

const binary = findClaudeBinary();
/** Why the tests are skipped; undefined when they run. */
export const missing = 'missing' in binary ? binary.missing : undefined;

export const answer = (text: string): Reply => ({ blocks: [say(text)] });

export interface Talk {
  readonly session: TestSession;
  /** The name that the entry has for Claude Code's session. */
  ownId(): string | undefined;
  /** One run; afterwards the transcript holds. */
  ask(
    prompt: string,
    replies: MessagesApiOptions['replies'],
    more?: Partial<RunRequest>,
    onEvent?: (event: RunEvent) => unknown,
  ): Promise<RunEvent[]>;
}

/** Call at the top of a file: one imitation serves all its tests. */
export function useClaude() {
  let bench: ClaudeBench;
  beforeAll(async () => {
    bench = await ClaudeBench.open();
  });
  afterAll(() => bench?.close());

  const openRunner = (config: BotConfig = {}, env: Record<string, string> = {}): Runner =>
    openClaudeRunner({ stateDir: bench.stateDir, config, env: { ...bench.home.env, ...env } });

  return {
    get bench() {
      return bench;
    },
    openRunner,
    async openTalk({
      config,
      env,
    }: {
      config?: BotConfig;
      env?: Record<string, string>;
    } = {}): Promise<Talk> {
      const session = await makeSession(MODEL);
      let own: RunRequest['ownSession'] | undefined;
      return {
        session,
        ownId: () => own?.id,
        async ask(prompt, replies, more = {}, onEvent) {
          bench.api.forget();
          bench.api.setReplies(replies);
          const request = await session.ask(prompt, more);
          own = request.ownSession;
          // Another one each time: nothing may be kept in the process.
          const events = await collect(openRunner(config, env).start(request), onEvent);
          expect(bench.api.faults).toEqual([]);
          await assertTranscriptHolds(session);
          return events;
        },
      };
    },
    /** What the model read in the last request as `role: text`, without what Claude Code itself adds. */
    received: (): string[] =>
      bench.api.conversations.at(-1)!.messages.flatMap((message) => {
        const texts = blocksOf(message).map((block) =>
          block.type === 'text' ? block.text : `[${block.type}]`,
        );
        const said = texts.filter((text) => !/^(?:<system-reminder>|# Environment)/.test(text));
        return message.role === 'system' || said.length === 0 ? [] : [`${message.role}: ${said.join('')}`];
      }),
    receivedText: (): string => JSON.stringify(bench.api.conversations.at(-1)!.messages),
  };
}

/** How often a text is in another. */
export const count = (text: string, part: string): number => text.split(part).length - 1;
