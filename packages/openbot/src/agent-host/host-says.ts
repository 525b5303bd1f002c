/** `Bot.say` for commands in other processes: in the process of the bot, behind what it and they tell each other. */
import { randomUUID } from 'node:crypto';
import { OpenBotError } from '@openbot/sessions';
import type { Bot } from '../bot/contract.ts';
import type { SayNews } from '../gateway-client/contract.ts';
import type { Answer, Asker } from '../permissions/contract.ts';
import type { HostCalls } from './contract.ts';

interface Say {
  readonly aborting: AbortController;
  /** Questions without an answer. */
  readonly open: Map<string, (answer: Answer) => void>;
  hasLeft: boolean;
}

export function openHostSays(
  bot: Pick<Bot, 'say'>,
  tell: (id: string, news: SayNews) => void,
): Pick<HostCalls, 'say' | 'tellSay'> {
  const says = new Map<string, Say>();
  return {
    say: async (id, { asks, ...request }) => {
      const say: Say = { aborting: new AbortController(), open: new Map(), hasLeft: false };
      says.set(id, say);
      try {
        return await bot.say({
          ...request,
          messageId: id,
          signal: say.aborting.signal,
          onEvent: (event) => tell(id, { event }),
          ...(asks && { asker: askerOf(say, (news) => tell(id, news)) }),
        });
      } finally {
        says.delete(id);
      }
    },
    tellSay: async (id, word) => {
      const say = says.get(id);
      if (say === undefined) return;
      if ('abort' in word) say.aborting.abort(new OpenBotError('CANCELLED', 'Aborted'));
      else if ('answer' in word) say.open.get(word.questionId)?.(word.answer);
      else {
        say.hasLeft = true;
        for (const answer of say.open.values()) answer('no');
      }
    },
  };
}

function askerOf(say: Say, tell: (news: SayNews) => void): Asker {
  return {
    ask: async (question) => {
      const questionId = randomUUID();
      const { promise, resolve } = Promise.withResolvers<Answer>();
      say.open.set(questionId, resolve);
      promise.finally(() => say.open.delete(questionId));
      if (say.hasLeft) resolve('no');
      else tell({ asked: { questionId, question } });
      return {
        answer: promise,
        close: async (why) => {
          say.open.delete(questionId);
          tell({ closed: { questionId, why } });
        },
      };
    },
  };
}
