import type { PromptImage } from '../media/read-image.ts';

/** The content of a person's message, as pi and OpenClaw write it. */
export function userContent(
  text: string,
  images: readonly PromptImage[] = [],
): readonly Readonly<Record<string, unknown>>[] {
  return [{ type: 'text', text }, ...images.map(({ data, mimeType }) => ({ type: 'image', data, mimeType }))];
}
