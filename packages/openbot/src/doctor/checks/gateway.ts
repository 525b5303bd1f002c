import { listChannelAccounts } from '../../channels/accounts.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { listHeartbeats } from '../../config/heartbeats.ts';
import { listTroubles, lookAtGateway } from '../../gateway-client/look-at-gateway.ts';
import { resolveBind } from '../../gateway-process/bind-address.ts';
import { assertStrongIn } from '../../gateway-process/gateway-token.ts';
import { isOpenclaws } from '../../index-db/index-path.ts';
import type { Check, Finding, Place } from '../contract.ts';

export const gateway: Check = {
  name: 'gateway',
  about: 'The gateway that runs, its process of agents, and who can reach it',
  isQuick: true,
  async look(place) {
    const { stateDir, config } = place;
    const report = place.gateway ?? (await lookAtGateway(stateDir));
    if (!report.running)
      return [...describeMissing(place), ...(config === undefined ? [] : lookAtBind(config))];
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

/** Commands, and programs that open the bot themselves, need no gateway. */
function describeMissing({ config, stateDir, env, isGatewayWanted }: Place): Finding[] {
  // OpenClaw's own gateway serves OpenClaw's folder.
  const isOurs = config !== undefined && !isOpenclaws(stateDir, env);
  const accounts = isOurs ? listChannelAccounts(config) : [];
  const heard = accounts.filter(({ isEnabled, hasDriver }) => isEnabled && hasDriver);
  const hasHeartbeat = isOurs && listHeartbeats({ config, stateDir, env }).length > 0;
  const lost = [
    ...(heard.length > 0
      ? [`nothing is received from ${[...new Set(heard.map(({ channel }) => channel))].join(', ')}`]
      : []),
    ...(hasHeartbeat ? ['no heartbeat is given'] : []),
  ];
  if (lost.length === 0 && !isGatewayWanted) return [];
  const start = "'openbot gateway start' starts it";
  return [
    {
      severity: 'problem',
      what: `No gateway runs${lost.length === 0 ? '' : `: ${lost.join(', and ')}`}`,
      remedy: lost.length === 0 ? start : `${start}; a program that opens these itself needs none`,
    },
  ];
}

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
