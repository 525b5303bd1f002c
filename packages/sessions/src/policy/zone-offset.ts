import { OpenBotError } from '../errors.ts';

const formatters = new Map<string, Intl.DateTimeFormat>();

/** How far the zone's wall clock is ahead of UTC at an instant, in ms. Without a zone: the system's. */
export function zoneOffsetMs(instant: number, timeZone?: string): number {
  const date = new Date(instant);
  // The platform follows a change of TZ while running; a cached formatter would not.
  if (timeZone === undefined) return -date.getTimezoneOffset() * 60_000;
  const text = formatterFor(timeZone).format(date);
  const match = /GMT(?:([+-])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?)?$/.exec(text);
  if (!match) throw new Error(`no UTC offset in ${JSON.stringify(text)}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = createFormatter(timeZone);
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

function createFormatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new OpenBotError('INVALID_ARGUMENT', `unknown time zone ${JSON.stringify(timeZone)}`, {
      hint: 'Use an IANA name such as Europe/Berlin, or leave it out for the zone of this machine.',
      cause,
    });
  }
}
