export interface MentionPatterns {
  readonly regexes: readonly RegExp[];
  readonly rejected: readonly { readonly pattern: string; readonly reason: string }[];
}

/** A group that repeats what repeats already: `(a+)+` takes exponential time for some texts. */
const NESTED_REPETITION = /\([^()]*(?:[+*]|\{\d+,\d*\})[^()]*\)(?:[+*]|\{\d+,\d*\})/;

/**
 * Compiles `messages.groupChat.mentionPatterns`. They are applied to what strangers write, so one that could take
 * exponential time is rejected.
 */
export function compileMentionPatterns(patterns: readonly string[] = []): MentionPatterns {
  const regexes: RegExp[] = [];
  const rejected: { pattern: string; reason: string }[] = [];
  for (const pattern of patterns) {
    if (pattern.trim() === '') continue;
    if (NESTED_REPETITION.test(pattern)) {
      rejected.push({ pattern, reason: 'it repeats a group that contains a repetition' });
      continue;
    }
    try {
      const regex = new RegExp(pattern, 'gi');
      if (regex.test('')) rejected.push({ pattern, reason: 'it matches an empty text' });
      else regexes.push(regex);
    } catch (error) {
      rejected.push({
        pattern,
        reason: error instanceof Error ? error.message : 'it is not a regular expression',
      });
    }
  }
  return { regexes, rejected };
}
