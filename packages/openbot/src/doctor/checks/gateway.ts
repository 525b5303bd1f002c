import { listTroubles, lookAtGateway } from '../../gateway-client/look-at-gateway.ts';
import { resolveBind } from '../../gateway-process/bind-address.ts';
import { assertStrong } from '../../gateway-process/gateway-token.ts';
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
    return [...troubles, ...(config?.gateway === undefined ? [] : lookAtBind(config.gateway))];
  },
};

function lookAtBind(
  settings: NonNullable<Parameters<typeof resolveBind>[0]> & { auth?: { token?: string } },
): Finding[] {
  try {
    const { address, reach } = resolveBind(settings);
    if (reach !== undefined && settings.auth?.token !== undefined) assertStrong(settings.auth.token, address);
    return [];
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return [{ severity: 'problem', what: message, ...(hint !== undefined && { remedy: hint }) }];
  }
}
