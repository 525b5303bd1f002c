import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import { CHECKS, examine, openExamination } from '../../doctor/examine.ts';
import { conditionOf, type GatewayReport, lookAtGateway } from '../../gateway-client/look-at-gateway.ts';
import type { HEALTH_FLAGS } from './flags.ts';
import { report } from './report-checks.ts';

/** The state of the gateway and the quick checks, as a yes or a no. */
export async function health(input: CommandInput<typeof HEALTH_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const place = await openExamination({ stateDir, env, cwd: input.cwd, now: Date.now() });
  const gateway = await lookAtGateway(stateDir);
  const condition = conditionOf(gateway);
  const checks = await examine(
    { ...place, gateway, isGatewayWanted: flags.gateway === true },
    CHECKS.filter(({ isQuick }) => isQuick),
  );
  const { green, red } = terminal.palette;
  report(terminal, checks, {
    json: flags.json,
    all: false,
    fixBy: 'openbot doctor --fix',
    more: { gateway: { state: condition, ...pick(gateway) } },
    end: (problems, warnings) =>
      problems > 0
        ? `${red('✗')} ${formatQuantity(problems, 'problem')}; the gateway is ${condition}; 'openbot doctor' looks closer\n`
        : `${green('✓')} ${condition === 'not running' ? 'no problems; no gateway runs' : 'healthy; the gateway is ready'}${warnings === 0 ? '' : `, with ${formatQuantity(warnings, 'warning')}`}\n`,
  });
}

function pick({ process, pid, url, version, startedAt }: GatewayReport) {
  return { process, pid, url, version, startedAt };
}
