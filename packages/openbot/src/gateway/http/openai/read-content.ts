import { apiFault } from './api-call.ts';

/** A file of a message, as the method `agent` takes it. */
export interface Attachment {
  readonly type: 'image' | 'file';
  /** A `data:` URL, or base64. */
  readonly content: string;
  readonly mimeType?: string;
  readonly fileName?: string;
}

export interface Content {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

type Part = Readonly<Record<string, unknown>>;

/** What one message of a conversation holds: text, and images and files that are sent with it. */
export function readContent(content: unknown, place: string): Content {
  if (typeof content === 'string') return { text: content, attachments: [] };
  if (content === null || content === undefined) return { text: '', attachments: [] };
  if (!Array.isArray(content)) throw apiFault(400, `\`${place}\` must be a string or an array`);
  const parts = content.map((part: unknown) => readPart(objectOf(part), place));
  return {
    text: parts.flatMap((part) => (typeof part === 'string' ? [part] : [])).join('\n'),
    attachments: parts.filter((part) => typeof part !== 'string'),
  };
}

function readPart(part: Part, place: string): string | Attachment {
  const { type, text } = part;
  if (typeof text === 'string') return text;
  if (type === 'image_url' || type === 'input_image')
    return { type: 'image', ...readSource(part.image_url ?? part.source, place) };
  if (type === 'file' || type === 'input_file') {
    const file = type === 'file' ? objectOf(part.file) : part;
    const { filename } = file;
    return {
      type: 'file',
      ...(typeof filename === 'string' && { fileName: filename }),
      ...readSource(file.file_data ?? file.source ?? file.file_url, place),
    };
  }
  throw apiFault(400, `\`${place}\` has a part that is neither text, an image nor a file`);
}

/** A `data:` URL, `{url}`, or `{type: "base64", media_type, data, filename}`. */
function readSource(given: unknown, place: string): Pick<Attachment, 'content' | 'mimeType' | 'fileName'> {
  const { url, data, media_type: mimeType, filename } = objectOf(given);
  if (typeof data === 'string')
    return {
      content: data,
      ...(typeof mimeType === 'string' && { mimeType }),
      ...(typeof filename === 'string' && { fileName: filename }),
    };
  const address = typeof given === 'string' ? given : url;
  if (typeof address !== 'string')
    throw apiFault(400, `\`${place}\` has a part without its data; files by id are not kept here`);
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) && !/^data:/i.test(address))
    throw apiFault(400, `\`${place}\` names an address; send the file itself as a data: URL`);
  return { content: address };
}

function objectOf(value: unknown): Part {
  return typeof value === 'object' && value !== null ? (value as Part) : {};
}
