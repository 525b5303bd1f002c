import { COMMAND_METHOD, EARLY, type SayWord, type WiredSay } from '../../gateway-client/contract.ts';
import { filledText, object } from '../../gateway-protocol/param-shapes.ts';
import { gatewayMethod } from '../services.ts';
import { assertWhole } from './assert-whole.ts';

/** `openbot agent`: one turn, with what happens meanwhile in responses before the last one. */
const say = gatewayMethod({
  name: COMMAND_METHOD.say,
  scope: 'operator.write',
  isListed: false,
  params: { id: filledText, request: object },
  handle: async ({ id, request }, { caller, services: { host }, respondFirst, signal }) => {
    assertWhole(caller);
    const forget = host.onEvent((event) => {
      if (event.type === 'saying' && event.id === id) respondFirst({ [EARLY]: event.news });
    });
    const leave = () => void host.calls.tellSay(id, { left: true }).catch(() => {});
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await host.calls.say(id, request as unknown as WiredSay);
    } finally {
      forget();
      signal.removeEventListener('abort', leave);
    }
  },
});

const tellSay = gatewayMethod({
  name: COMMAND_METHOD.tellSay,
  scope: 'operator.write',
  isListed: false,
  params: { id: filledText, word: object },
  handle: async ({ id, word }, { caller, services: { host } }) => {
    assertWhole(caller);
    await host.calls.tellSay(id, word as unknown as SayWord);
    return {};
  },
});

export const SAY_METHODS = [say, tellSay];
