import { randomBytes } from 'node:crypto';

export interface FormPart {
  readonly name: string;
  readonly value: string | Uint8Array;
  /** Of a file. */
  readonly filename?: string;
  readonly type?: string;
}

/**
 * A form with files as one buffer. Node reads the `Blob`s of a `FormData` piece by piece while it sends, and under load a
 * request now and then never begins; files are in memory anyway.
 */
export function composeForm(parts: readonly FormPart[]): {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
} {
  const boundary = `openbot-${randomBytes(16).toString('hex')}`;
  const chunks = parts.flatMap(({ name, value, filename, type }) => {
    const file = filename === undefined ? '' : `; filename="${quote(filename)}"`;
    const kind = type === undefined ? '' : `\r\nContent-Type: ${type.replace(/[\r\n]/g, '')}`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"${file}${kind}\r\n\r\n`;
    return [Buffer.from(head), typeof value === 'string' ? Buffer.from(value) : value, Buffer.from('\r\n')];
  });
  const body = new Uint8Array(Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]));
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers write it. */
function quote(text: string): string {
  return text.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
