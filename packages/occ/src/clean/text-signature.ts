/** The ids of OpenAI's messages. */
const ITEM_ID = /^msg_/;
/** How much of an id tells it from others. */
const ENDING = 16;

/**
 * The signature of a text whose thinking goes. OpenAI's texts carry an id there, and a text with that id is refused without the
 * reasoning before it. OpenClaw leaves such an id out when it sends the text, pi sends it. An id of our own belongs to no
 * reasoning; what else the signature says, as whether the text is an answer or a comment, stays. Undefined where nothing
 * need change.
 */
export function releaseSignature(signature: string): string | undefined {
  if (ITEM_ID.test(signature)) return releaseId(signature);
  const fields = signature.startsWith('{') ? parseFields(signature) : undefined;
  if (fields === undefined || typeof fields.id !== 'string' || !ITEM_ID.test(fields.id)) return undefined;
  return JSON.stringify({ ...fields, id: releaseId(fields.id) });
}

function releaseId(id: string): string {
  return `msg_occ_${id.replace(/[^\w-]/g, '').slice(-ENDING)}`;
}

function parseFields(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
