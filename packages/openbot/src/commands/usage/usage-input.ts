/** What the words and flags of `openbot usage` mean. */
import { normalizeAgentId, OpenBotError } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { parseSince, type Since } from '../../config/since.ts';
import { type Calendar, openCalendar } from '../../usage/calendar.ts';
import type { UsageRequestInput } from '../../usage/gather-usage.ts';
import type { Grouping } from '../../usage/group-usage.ts';
import { USAGE_SOURCES } from '../../usage/sources/all.ts';
import type { REPORTS, USAGE_FLAGS } from './flags.ts';

export type UsageInput = CommandInput<
  typeof USAGE_FLAGS,
  readonly [{ readonly name: 'report'; readonly choices: typeof REPORTS }]
>;

const GROUPING_OF = {
  daily: 'day',
  monthly: 'month',
  session: 'session',
  model: 'model',
  channel: 'channel',
} as const;

export function readUsageInput({ flags, words }: UsageInput, now: number): UsageRequestInput {
  const [report] = words;
  const worded = report === undefined ? undefined : GROUPING_OF[report];
  if (worded !== undefined && flags.by !== undefined && worded !== flags.by) {
    throw usage(`${report} and --by ${flags.by} contradict each other`, 'Leave one of them out');
  }
  const { calendar, timezone } = readZone(flags.timezone);
  const read = (flag: string, text: string | undefined) =>
    text === undefined ? undefined : parseSince(flag, text, now);
  const dayOf = (one: Since | undefined) => one && (one.day ?? calendar(one.at));
  const from = read('--since', flags.since);
  const since = dayOf(from);
  const until = dayOf(read('--until', flags.until));
  if (since !== undefined && until !== undefined && since > until) {
    throw usage(`--since ${since} is after --until ${until}`, 'Exchange the two');
  }
  const source = flags.source ?? 'openbot';
  return {
    by: (worded ?? flags.by ?? 'day') as Grouping,
    calendar,
    timezone,
    since,
    sinceAt: from?.day === undefined ? from?.at : undefined,
    until,
    agentId: flags.agent === undefined ? undefined : normalizeAgentId(flags.agent),
    sources: source === 'all' ? Object.keys(USAGE_SOURCES) : [source],
  };
}

function readZone(zone: string | undefined): { calendar: Calendar; timezone: string } {
  try {
    return { calendar: openCalendar(zone), timezone: zone ?? 'local' };
  } catch (cause) {
    throw new OpenBotError('USAGE', `There is no time zone '${zone}'`, {
      hint: 'Example: --timezone Europe/Berlin, or UTC',
      cause,
    });
  }
}

function usage(message: string, hint: string): OpenBotError {
  return new OpenBotError('USAGE', message, { hint });
}
