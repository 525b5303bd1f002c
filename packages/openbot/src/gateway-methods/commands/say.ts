import { COMMAND_METHOD, EARLY, type SayWord, type WiredSay } from '../../gateway-client/contract.ts';
import {
  filledText,
  flag,
  integer,
  mapOf,
  maybe,
  oneOf,
  record,
  text,
} from '../../gateway-protocol/param-shapes.ts';
import { QUEUE_MODES } from '../chat.ts';
import { gatewayMethod } from '../services.ts';

const REQUEST = record({
  message: text,
  asks: flag,
  agentId: maybe(filledText),
  sessionKey: maybe(filledText),
  sessionId: maybe(filledText),
  to: maybe(filledText),
  channel: maybe(filledText),
  accountId: maybe(filledText),
  env: maybe(mapOf(text)),
  messageId: maybe(filledText),
  showsTools: maybe(flag),
  model: maybe(filledText),
  thinking: maybe(filledText),
  verbose: maybe(filledText),
  timeoutMs: maybe(integer({ least: 0 })),
  queueMode: maybe(oneOf(...QUEUE_MODES)),
  deliver: maybe(
    record({
      channel: maybe(filledText),
      accountId: maybe(filledText),
      to: maybe(filledText),
      isOptional: maybe(flag),
    }),
  ),
});

const WORD = record({
  abort: maybe(flag),
  left: maybe(flag),
  answer: maybe(oneOf('yes', 'always', 'no')),
  questionId: maybe(filledText),
});

/** `openbot agent`: one turn, with what happens meanwhile in responses before the last one. */
const say = gatewayMethod({
  name: COMMAND_METHOD.say,
  scope: 'operator.write',
  isForCommands: true,
  isAudited: () => true,
  params: { id: filledText, request: REQUEST },
  handle: async ({ id, request }, { services: { host }, respondFirst, signal }) => {
    const forget = host.onEvent((event) => {
      if (event.type === 'saying' && event.id === id) respondFirst({ [EARLY]: event.news });
    });
    const leave = () => void host.calls.tellSay(id, { left: true }).catch(() => {});
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await host.calls.say(id, request as WiredSay);
    } finally {
      forget();
      signal.removeEventListener('abort', leave);
    }
  },
});

const tellSay = gatewayMethod({
  name: COMMAND_METHOD.tellSay,
  scope: 'operator.write',
  isForCommands: true,
  // An answer is a permission; and a word must not overtake what it is about.
  isAudited: () => true,
  params: { id: filledText, word: WORD },
  handle: async ({ id, word }, { services: { host } }) => {
    await host.calls.tellSay(id, word as SayWord);
    return {};
  },
});

export const SAY_METHODS = [say, tellSay];
