import { type Tool, toolFailure } from '../tools/contract.ts';
import { answer, MOST_SECONDS, type ToolScope } from './parts.ts';
import { findReachable } from './reach.ts';
import { cut, describeQuestion } from './relay-words.ts';

const DEFAULT_WAIT_SECONDS = 30;
const MOST_PASSES = 5;

/** Refuses a message that sessions have passed on too often: two of them could talk for ever. */
export function assertMayPassOn({ parts, session }: ToolScope): void {
  const most = parts.config.session?.agentToAgent?.maxPingPongTurns ?? MOST_PASSES;
  if (session.chain.length < most) return;
  throw toolFailure(
    `This message came through ${session.chain.length} sessions, and ${most} is the limit. Answer it yourself.`,
  );
}

const PARAMETERS: Tool['parameters'] = {
  type: 'object',
  properties: {
    sessionKey: { type: 'string', description: 'Key, id or label of the session.' },
    message: { type: 'string', description: 'What it is asked or told.' },
    timeoutSeconds: {
      type: 'number',
      minimum: 0,
      description: `How long to wait; 0 does not wait, and the answer comes later. Default: ${DEFAULT_WAIT_SECONDS}, at most ${MOST_SECONDS}.`,
    },
  },
  required: ['sessionKey', 'message'],
};

export function makeSessionsSend(scope: ToolScope): Tool {
  return {
    name: 'sessions_send',
    description: 'Asks another session of this agent, and waits for its answer.',
    parameters: PARAMETERS,
    changes: false,
    run: async ({ sessionKey, message, timeoutSeconds = DEFAULT_WAIT_SECONDS }, { signal }) => {
      const { parts, session } = scope;
      const { agentId } = session;
      if ((message as string).trim() === '') throw toolFailure('The message is empty.');
      const { key: to } = await findReachable(scope, sessionKey as string);
      if (to === session.sessionKey) throw toolFailure('This is the session that you are in.');
      if (session.chain.includes(to))
        throw toolFailure(`${to} waits for your answer. Write what it should know as your answer.`);
      assertMayPassOn(scope);
      const put = await parts.relays.put({
        key: scope.nameAction('send', [to, message]),
        to: { agentId, sessionKey: to },
        text: describeQuestion(session.sessionKey, message as string),
        relay: { kind: 'send', chain: [...session.chain, session.sessionKey] },
      });
      if (timeoutSeconds === 0) {
        parts.relays.wake(put);
        return answer({ status: 'accepted', sessionKey: to });
      }
      const timeoutMs = Math.min(timeoutSeconds as number, MOST_SECONDS) * 1000;
      const end = await parts.relays.wait(put, { timeoutMs, signal });
      if (end === undefined)
        return answer({ status: 'accepted', sessionKey: to, note: 'No answer yet. It will be told to you.' });
      return answer({ status: end.isAnswered ? 'ok' : 'failed', sessionKey: to, reply: cut(end.text) });
    },
  };
}
