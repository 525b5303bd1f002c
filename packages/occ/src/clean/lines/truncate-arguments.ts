import { TRUNCATION_LIMITS } from '../tool-removal.ts';
import { cutAt, truncateText } from './truncate.ts';

type Arguments = Record<string, unknown>;

const { maxChars, argumentMarker: MARKER } = TRUNCATION_LIMITS;

/**
 * The arguments of a call within 120 characters of JSON, still an object, since providers refuse anything else. Members
 * stay in their order as far as there is room; a member that is too long is cut, the rest is dropped, and the marker
 * shows that something is missing. Arguments within the limit come back as they are.
 */
export function truncateArguments(args: Arguments): Arguments {
  if (JSON.stringify(args).length <= maxChars) return args;
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(args)) {
    if (key === MARKER) continue;
    const room = maxChars - sizeWith(kept, [[key, ''], MORE]) - MARKER.length;
    if (room < 0) break;
    kept.push([key, shorten(value, room + MARKER.length)]);
  }
  if (kept.length < Object.keys(args).length) kept.push(MORE);
  return Object.fromEntries(kept);
}

/** Replaces members for which there is no room, and a member of that name. */
const MORE: [string, unknown] = [MARKER, MARKER];

/** The value if its JSON has at most `room` characters more than an empty string; otherwise a shorter one. */
function shorten(value: unknown, room: number): unknown {
  if (typeof value !== 'string') return innerSize(value) <= room ? value : MARKER;
  const head = truncateText(value, MARKER);
  if (innerSize(head) <= room) return head;
  // Escapes make some characters longer: cut until the text fits.
  let text = cutAt(value, room - MARKER.length);
  while (text.length > 0 && innerSize(text + MARKER) > room) text = cutAt(text, text.length - 1);
  return text + MARKER;
}

function innerSize(value: unknown): number {
  return (JSON.stringify(value) ?? '""').length - 2;
}

function sizeWith(kept: readonly [string, unknown][], more: readonly [string, unknown][]): number {
  return JSON.stringify(Object.fromEntries([...kept, ...more])).length;
}
