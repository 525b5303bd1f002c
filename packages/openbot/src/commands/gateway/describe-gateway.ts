import type { Palette } from '@openbot/sessions/terminal-text';
import { formatAge, formatQuantity, printable } from '@openbot/sessions/terminal-text';
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
