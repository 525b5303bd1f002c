/** What JSON leaves as it is, and a terminal would obey or hide. */
const HOSTILE =
  /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/** JSON as it may be shown on a terminal: such characters are written by their numbers, so it says the same. */
export function toJsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, roundCost, indent).replace(HOSTILE, escapeUnits);
}

/** Sums of fractions end in digits that mean nothing. */
function roundCost(key: string, value: unknown): unknown {
  return typeof value === 'number' && key.endsWith('Usd') ? Math.round(value * 1e6) / 1e6 : value;
}

function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
