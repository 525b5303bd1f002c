/** A session that the real pi writes and goes on with, whose model binds its thinking to what was said before it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  createAgentSession,
  ModelRuntime,
  SessionManager,
  SettingsManager,
} from '@earendil-works/pi-coding-agent';
import { type MessagesApi, startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import {
  blocksOf,
  call,
  type MessageReply,
  type MessagesRequest,
  say,
  think,
} from '../../../../test/imitations/messages-format.ts';
import type { BindingMode } from '../../../../test/imitations/thinking-binding.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

/** The first is in pi's own list, and pi asks that invalid thinking is dropped. The second is one that a person describes. */
export const PI_MODELS = ['anthropic/claude-opus-5-5', 'far/claude-sonnet-5-5'] as const;
export type PiModel = (typeof PI_MODELS)[number];

export interface PiTalk {
  readonly api: MessagesApi;
  readonly path: string;
  /**
   * In a session that is opened anew from its file. A message with `run:` has a command run. Throws where the turn fails.
   * @param from an earlier entry that the person goes back to before
   */
  tell(words: string, path?: string, from?: string): Promise<void>;
}

export async function openPi(model: PiModel, binding: BindingMode = 'enforce'): Promise<PiTalk> {
  const folder = makeTempFolder();
  const cwd = join(folder, 'work');
  const sessions = join(folder, 'sessions');
  mkdirSync(cwd);
  let count = 0;
  const replies = (request: MessagesRequest) => reply(request, ++count);
  const api = await startMessagesApi({ replies, binding });
  afterTest(() => api.close());
  const [provider = '', id = ''] = model.split('/');
  const modelRuntime = await ModelRuntime.create({
    authPath: join(folder, 'auth.json'),
    modelsPath: join(folder, 'models.json'),
  });
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const described = { id, name: id, reasoning: true, input: ['text' as const], cost };
  modelRuntime.registerProvider(provider, {
    baseUrl: api.url,
    apiKey: 'key',
    ...(provider === 'far' && {
      api: 'anthropic-messages',
      models: [{ ...described, contextWindow: 200_000, maxTokens: 16_384 }],
    }),
  });
  const first = SessionManager.create(cwd, sessions);
  const path = first.getSessionFile()!;
  let isNew = true;
  return {
    api,
    path,
    async tell(words, file = path, from?) {
      const sessionManager = isNew ? first : SessionManager.open(file, sessions);
      if (from !== undefined) sessionManager.branch(from);
      const { session } = await createAgentSession({
        cwd,
        agentDir: folder,
        modelRuntime,
        model: modelRuntime.getModel(provider, id)!,
        thinkingLevel: 'low',
        sessionManager,
        settingsManager: SettingsManager.inMemory(),
      });
      isNew = false;
      try {
        await session.prompt(words);
        const { stopReason, errorMessage } = session.messages.at(-1) as {
          stopReason?: string;
          errorMessage?: string;
        };
        if (stopReason !== 'stop') throw new Error(`the turn '${words}' failed: ${errorMessage}`);
      } finally {
        session.dispose();
      }
    },
  };
}

function reply({ messages }: MessagesRequest, count: number): MessageReply {
  const last = blocksOf(messages.findLast(({ role }) => role === 'user')!);
  const text = last.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const command = /^run: (.*)$/m.exec(text)?.[1];
  const isEnd = command === undefined || last.some(({ type }) => type === 'tool_result');
  const next = isEnd ? [say(`answer ${count}`)] : [call(`toolu_${count}`, 'bash', { command })];
  return { blocks: [think(`thought ${count}`), ...next] };
}
