import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, FaultsFound, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { lookAtGateway } from '../../gateway-client/look-at-gateway.ts';
import { gatewayFiles } from '../../gateway-process/gateway-files.ts';
import { describeGateway } from './describe-gateway.ts';
import type { GATEWAY_STATUS_FLAGS } from './flags.ts';

/** Tells whether the gateway runs and is ready. Throws FaultsFound where it runs and is not. */
export async function gatewayStatus(input: CommandInput<typeof GATEWAY_STATUS_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const report = await lookAtGateway(stateDir);
  const now = Date.now();
  const logPath = gatewayFiles(stateDir).log;
  const { startedAt } = report;
  if (flags.json)
    writeJson(terminal, {
      ...report,
      ...(startedAt !== undefined && { uptimeMs: now - startedAt }),
      logPath,
    });
  else {
    const [first, ...more] = describeGateway(report, { now, palette: terminal.palette });
    terminal.say(
      [
        `Gateway ${first}`,
        ...more.map((line) => `  ${line}`),
        ...(report.running ? [`  Log: ${printable(logPath)}`] : []),
        '',
      ].join('\n'),
    );
  }
  if (report.ready === false) throw new FaultsFound();
}
