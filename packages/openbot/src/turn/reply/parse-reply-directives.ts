import { splitLines } from './code-fences.ts';
import { parseMediaLine } from './parse-media-line.ts';
import { isTokenAlone, SILENT_REPLY_TOKEN, stripSilentToken } from './tokens.ts';

export interface ReplyDirectives {
  /** Without directives; '' when nothing is left. */
  readonly text: string;
  readonly mediaUrls: readonly string[];
  readonly replyToId?: string;
  readonly replyToCurrent: boolean;
  readonly audioAsVoice: boolean;
  /** The model chose to say nothing. */
  readonly isSilent: boolean;
}

export const REPLY_TAG =
  /(?<=^|\s|\]\])\[\[[ \t]*(reply_to_current|audio_as_voice|reply_to[ \t]*:[ \t]*([^\]\s]{1,200}))[ \t]*\]\][ \t]?/gi;

/** Reads what the model wrote for the runtime, and takes it out of the text. Blocks of code are left alone. */
export function parseReplyDirectives(
  raw: string,
  resolveMedia: (url: string) => string | undefined = (url) => url,
): ReplyDirectives {
  const found = { replyToCurrent: false, audioAsVoice: false, replyToId: undefined as string | undefined };
  const mediaUrls: string[] = [];
  const kept: string[] = [];
  for (const line of splitLines(raw)) {
    if (line.isCode || !mayHaveDirective(line.text)) {
      kept.push(line.text);
      continue;
    }
    const media = parseMediaLine(line.text)?.map(resolveMedia);
    if (media?.every((url) => url !== undefined)) {
      mediaUrls.push(...media);
      continue;
    }
    const text = line.text.replace(REPLY_TAG, (_, tag: string, id?: string) => {
      if (id !== undefined) found.replyToId = id;
      else if (/^audio/i.test(tag)) found.audioAsVoice = true;
      else found.replyToCurrent = true;
      return '';
    });
    if (text === line.text) kept.push(text);
    else if (text.trim() !== '') kept.push(text.trimEnd());
  }
  const joined = trimBlankLines(kept.join('\n'));
  const isSilent = isTokenAlone(joined, SILENT_REPLY_TOKEN);
  return { text: isSilent ? '' : stripSilentToken(joined), mediaUrls, isSilent, ...found };
}

function mayHaveDirective(line: string): boolean {
  return line.includes('MEDIA:') || line.includes('[[');
}

/** The indentation of the first line stays: it means something in Markdown. */
function trimBlankLines(text: string): string {
  const end = text.trimEnd();
  const lines = end.length - end.trimStart().length;
  return end.slice(end.lastIndexOf('\n', lines - 1) + 1);
}
