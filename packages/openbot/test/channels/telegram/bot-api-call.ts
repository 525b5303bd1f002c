import type { IncomingMessage } from 'node:http';

export interface Call {
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** Of a multipart body, by the name of the part. */
  readonly files: Readonly<Record<string, { readonly name: string; readonly bytes: Buffer }>>;
}

export async function readCall(method: string, request: IncomingMessage): Promise<Call> {
  const body = Buffer.concat(await request.toArray());
  const type = request.headers['content-type'] ?? '';
  const [, boundary] = /boundary=(.+)$/.exec(type) ?? [];
  if (boundary !== undefined) return { method, ...readParts(body, boundary) };
  return { method, params: body.length === 0 ? {} : JSON.parse(body.toString()), files: {} };
}

function readParts(body: Buffer, boundary: string): Pick<Call, 'params' | 'files'> {
  const params: Record<string, unknown> = {};
  const files: Record<string, { name: string; bytes: Buffer }> = {};
  const mark = Buffer.from(`--${boundary}`);
  for (let at = body.indexOf(mark); ; ) {
    const next = body.indexOf(mark, at + mark.length);
    if (next < 0) return { params, files };
    const part = body.subarray(at + mark.length + 2, next - 2);
    const split = part.indexOf('\r\n\r\n');
    const head = part.subarray(0, split).toString();
    const bytes = part.subarray(split + 4);
    const [, name = ''] = /name="([^"]*)"/.exec(head) ?? [];
    const [, file] = /filename="?([^"\r\n]*)"?/.exec(head) ?? [];
    if (file === undefined) params[name] = readValue(bytes.toString());
    else files[name] = { name: file, bytes };
    at = next;
  }
}

/** In a multipart body all is text; what is no text is JSON. */
function readValue(text: string): unknown {
  if (!/^(?:[[{]|-?\d+$|true$|false$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
