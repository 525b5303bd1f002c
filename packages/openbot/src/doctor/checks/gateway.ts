import type { BotConfig } from '../../config/bot-config.ts';
import { listTroubles, lookAtGateway } from '../../gateway-client/look-at-gateway.ts';
import { resolveBind } from '../../gateway-process/bind-address.ts';
import { assertStrongIn } from '../../gateway-process/gateway-token.ts';
import type { Check, Finding } from '../contract.ts';

export const gateway: Check = {
  name: 'gateway',
  about: 'The gateway that runs, its process of agents, and who can reach it',
  isQuick: true,
  async look({ stateDir, config }) {
    const report = await lookAtGateway(stateDir);
    const isDown = report.ready === false || report.host?.at === 'blocked' || report.host?.at === 'down';
    const troubles = listTroubles(report).map(
      (what): Finding => ({
        severity: isDown ? 'problem' : 'warning',
        what,
        remedy: "'openbot gateway logs' says more; 'openbot gateway restart' starts it anew",
      }),
    );
    return [...troubles, ...(config === undefined ? [] : lookAtBind(config))];
  },
};

function lookAtBind(config: BotConfig): Finding[] {
  try {
    const { address, reach } = resolveBind(config.gateway ?? {});
    if (reach !== undefined) assertStrongIn(config, address);
    return [];
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return [{ severity: 'problem', what: message, ...(hint !== undefined && { remedy: hint }) }];
  }
}
