/**
 * The parts of a multipart body. The response is used behind the wait: Node ends the body of one that is collected
 * meanwhile, and the form would never come.
 */
export async function readForm(body: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  const response = new Response(body, { headers: { 'content-type': type } });
  const form = await response.formData();
  if (!response.bodyUsed) throw new Error('The body was not read');
  return form;
}
