import { randomUUID } from 'node:crypto';
import { AGENT_ID_ENV_NAMES, type Environment } from '@openbot/sessions/layout';
import type { SayRequest, SayResult } from '../bot/contract.ts';
import type { OpenQuestion } from '../permissions/contract.ts';
import type { GatewayConnection } from './connect-gateway.ts';
import { COMMAND_METHOD, type SayNews, type SayWord, type WiredSay } from './contract.ts';

/** `Bot.say` in the gateway's process of agents. */
export async function sayThrough(
  gateway: GatewayConnection,
  { signal, asker, onEvent, ...request }: SayRequest,
  env: Environment,
): Promise<SayResult> {
  const id = randomUUID();
  const questions = new Map<string, Promise<OpenQuestion>>();
  // What cannot be told any more is told by the end of the call.
  const tell = (word: SayWord) => void gateway.call(COMMAND_METHOD.tellSay, { id, word }).catch(() => {});
  const onNews = (news: SayNews) => {
    if ('event' in news) onEvent?.(news.event);
    else if ('closed' in news) {
      const { questionId, why } = news.closed;
      void questions.get(questionId)?.then((open) => open.close(why));
    } else if (asker !== undefined) {
      const { questionId, question } = news.asked;
      const asked = asker.ask(question);
      questions.set(questionId, asked);
      void asked.then(({ answer }) => answer.then((given) => tell({ answer: given, questionId })));
    }
  };
  const abort = () => tell({ abort: true });
  const params: WiredSay = { ...request, asks: asker !== undefined, env: pickAgent(env) };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const said = gateway.call<SayResult>(COMMAND_METHOD.say, { id, request: params }, (early) =>
      onNews(early as SayNews),
    );
    if (signal?.aborted) abort();
    return await said;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Nothing else of the environment is the gateway's business. */
function pickAgent(env: Environment): Environment {
  return Object.fromEntries(AGENT_ID_ENV_NAMES.map((name) => [name, env[name]]));
}
