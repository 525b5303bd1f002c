import type { ReplyPayload } from '../../outbox/reply-payload.ts';

/** What a prefix such as `[{model}]` may name. */
export interface PrefixValues {
  readonly model?: string;
  readonly provider?: string;
  readonly thinkingLevel?: string;
}

/** Puts `messages.responsePrefix` in front of every text. A name in braces without a value stays as it is. */
export function addResponsePrefix(
  payloads: readonly ReplyPayload[],
  template: string | undefined,
  values: PrefixValues = {},
): ReplyPayload[] {
  if (template === undefined || template.trim() === '') return [...payloads];
  const known: Readonly<Record<string, string | undefined>> = {
    model: values.model,
    provider: values.provider,
    modelFull: values.model && values.provider ? `${values.provider}/${values.model}` : undefined,
    thinkingLevel: values.thinkingLevel,
    think: values.thinkingLevel,
  };
  const prefix = template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(known, name) ? (known[name] ?? whole) : whole,
  );
  return payloads.map((payload) =>
    payload.text === undefined || payload.text.startsWith(prefix)
      ? payload
      : { ...payload, text: /\s$/.test(prefix) ? prefix + payload.text : `${prefix} ${payload.text}` },
  );
}
