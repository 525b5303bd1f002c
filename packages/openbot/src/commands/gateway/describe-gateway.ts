import type { Palette } from '@openbot/sessions/terminal-text';
import { formatAge, formatQuantity, printable } from '@openbot/sessions/terminal-text';
import type { ChannelState } from '../../gateway-client/contract.ts';
import { type GatewayReport, listTroubles } from '../../gateway-client/look-at-gateway.ts';

/** Lines for people. */
export function describeGateway(
  report: GatewayReport,
  { now, palette }: { readonly now: number; readonly palette: Pick<Palette, 'red' | 'yellow'> },
): string[] {
  if (!report.running) return ['not running'];
  const { process: who = '', url, startedAt, ready, host, runs = 0, connections = 0 } = report;
  const where = url === undefined ? '' : `, on ${url}`;
  const since = startedAt === undefined ? '' : `, started ${formatAge(startedAt, now)}`;
  const paint = ready === false ? palette.red : palette.yellow;
  return [
    `${ready === false ? palette.red('not ready') : 'runs'}: ${printable(who)}${where}${since}`,
    ...(host === undefined
      ? []
      : [
          `${formatQuantity(connections, 'client')}, ${formatQuantity(runs, 'run')}; agents: ${printable(host.at)}${host.pid === undefined ? '' : `, process ${host.pid}`}`,
        ]),
    ...listTroubles(report).map((trouble) => paint(printable(trouble))),
  ];
}

/** `connected since 5m`, `not connected since 2m: the network does not answer` */
export function showHealth(
  { health, lastInboundAt }: Pick<ChannelState, 'health' | 'lastInboundAt'>,
  { now, palette }: { readonly now: number; readonly palette: Pick<Palette, 'red' | 'yellow'> },
): string {
  const heard = lastInboundAt === undefined ? '' : `, last message ${formatAge(lastInboundAt, now)}`;
  switch (health.state) {
    case 'connected':
      return `connected${heard}${health.warning === undefined ? '' : `. ${palette.yellow(printable(health.warning))}`}`;
    case 'reconnecting':
      return `${palette.yellow('not connected')} since ${formatAge(health.since, now)}: ${printable(health.error)}`;
    case 'failed':
      return `${palette.red('failed')} ${formatAge(health.since, now)}: ${printable(health.error)}`;
    case 'starting':
      return 'starting';
    case 'stopped':
      return palette.red('stopped');
  }
}
