import { expect, test } from 'vitest';
import { composeForm } from '../../../src/channels/http/multipart.ts';
import { readForm } from '../read-form.ts';

test('a form is read as it was composed, whatever its files hold and are called', async () => {
  const bytes = new Uint8Array([0, 13, 10, 45, 45, 255]);
  const { body, contentType } = composeForm([
    { name: 'payload_json', value: '{"content":"Grüße\\r\\n--x"}', type: 'application/json' },
    { name: 'files[0]', value: bytes, filename: 'a "b"\r\nc ü.png', type: 'image/png' },
  ]);
  const form = await readForm(body, contentType);
  const [payload, file] = [form.get('payload_json'), form.get('files[0]')] as (string | File)[];
  expect(typeof payload === 'string' ? payload : await payload!.text()).toBe('{"content":"Grüße\\r\\n--x"}');
  expect(file).toMatchObject({ type: 'image/png' });
  expect((file as File).name).toMatch(/^a .*b.*c ü\.png$/s);
  expect(new Uint8Array(await (file as File).arrayBuffer())).toEqual(bytes);
});
