/** The texts in the content of a message, which may be one text or blocks; not thinking, calls, images. */
export function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    block?.type === 'text' && typeof block.text === 'string' ? [block.text as string] : [],
  );
}
