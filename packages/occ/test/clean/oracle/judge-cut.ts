import { expect } from 'vitest';
import { isObject, type Json } from './read-line.ts';

const MAX = 120;
const MARKER = '[truncated]';

/** Arguments in the shortened zone: an object within the limit, or what they were. */
export function judgeArguments(before: unknown, after: unknown): void {
  if (same(before, after)) {
    const mayStay = !isObject(before) && typeof before !== 'string';
    if (!mayStay)
      expect(typeof before === 'string' ? before.length : sizeOf(before)).toBeLessThanOrEqual(MAX);
    return;
  }
  expect(sizeOf(before)).toBeGreaterThan(MAX);
  expect(isObject(after)).toBe(true);
  expect(sizeOf(after)).toBeLessThanOrEqual(MAX);
  expect(JSON.stringify(after)).toContain('...');
  expectNoNewHalves(before, after);
}

/** The content of a result in the shortened zone: one text within the limits, or what it was. */
export function judgeContent(before: unknown, after: unknown): void {
  const whole = textOf(before);
  const hasLarge = Array.isArray(before) && before.some(isLarge);
  if (same(before, after)) {
    expect(hasLarge).toBe(false);
    expect(whole.length).toBeLessThanOrEqual(MAX);
    // More than two lines may stay where the marker would be longer than what it stands for.
    expect(whole.split('\n').slice(2).join('\n').length).toBeLessThanOrEqual(MARKER.length);
    return;
  }
  expect(hasLarge || whole.length > MAX || lineCount(whole) > 2).toBe(true);
  expect(Array.isArray(after)).toBe(Array.isArray(before));
  const text = textOf(after);
  expect(text.length).toBeLessThanOrEqual(MAX);
  expect(lineCount(text)).toBeLessThanOrEqual(2);
  expect(text.endsWith(MARKER)).toBe(true);
  expect(whole.startsWith(text.slice(0, -MARKER.length))).toBe(true);
  if (Array.isArray(after)) {
    const small = (before as Json[]).filter((block) => block.type !== 'text' && !isLarge(block));
    expect(after.slice(1)).toEqual(small);
  }
  expectNoNewHalves(before, after);
}

/** A block that goes: an image, or what is too large to stay beside a shortened text. */
function isLarge(block: Json): boolean {
  return block.type === 'image' || (block.type !== 'text' && sizeOf(block) > MAX);
}

/** The text of a content; what goes from it is named. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as Json[])
    .filter((block) => block.type === 'text' || isLarge(block))
    .map((block) => (isLarge(block) ? `[${block.type}]` : String(block.text)))
    .join('\n');
}

/** A second copy of an output. Its texts are within the limit, and it never grows. */
export function judgeCopy(before: unknown, after: unknown): void {
  if (sizeOf(before) <= MAX) {
    expect(JSON.stringify(after)).toBe(JSON.stringify(before));
    return;
  }
  expect(sizeOf(after)).toBeLessThanOrEqual(Math.min(1000, sizeOf(before)));
  // One that would not become shorter stays: what is cut off one text may be less than the markers of others.
  const most = same(before, after) ? MAX + MARKER.length : MAX;
  for (const text of stringsIn(after)) expect(text.length).toBeLessThanOrEqual(most);
  expectNoNewHalves(before, after);
}

export function same(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

function sizeOf(value: unknown): number {
  return (JSON.stringify(value) ?? '').length;
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** No pair of surrogates was cut through: halves are there only where there were halves. */
function expectNoNewHalves(before: unknown, after: unknown): void {
  if (stringsIn(before).every((text) => text.isWellFormed())) {
    expect(stringsIn(after).every((text) => text.isWellFormed())).toBe(true);
  }
}
