import { writeJson, writeWarning } from '@openbot/sessions/command-line';
import { describeUsage } from '../../usage/describe-usage.ts';
import { gatherUsage, limitGroups } from '../../usage/gather-usage.ts';
import { readUsageInput, type UsageInput } from './usage-input.ts';
import { formatUsage } from './usage-report.ts';

/** Shows tokens and cost. */
export async function usage(input: UsageInput): Promise<void> {
  const { env, cwd, flags, terminal } = input;
  const now = Date.now();
  if (flags.prices) {
    const { BUILT_IN_PRICES } = await import('../../usage/prices/price-table.ts');
    writeJson(terminal, BUILT_IN_PRICES);
    return;
  }
  const request = readUsageInput(input, now);
  const warn = (message: string) => writeWarning(terminal, message, flags);
  const { grouped, folders } = await gatherUsage(request, { env, cwd, stateDir: flags.stateDir, warn }, now);
  if (grouped.groups.length === 0 && request.agentId !== undefined) {
    const { assertKnownIn } = await import('../known-agent.ts');
    await assertKnownIn(folders, request.agentId, input);
  }
  const shown = limitGroups(grouped.groups, request.by, flags.limit);
  if (flags.json) {
    writeJson(terminal, describeUsage(grouped, shown, request));
    return;
  }
  terminal.write(
    formatUsage(grouped, shown, {
      request,
      places: folders,
      breakdown: flags.breakdown === true,
      columns: terminal.maxLineWidth,
      palette: terminal.palette,
    }),
  );
}
