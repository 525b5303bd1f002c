import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import { type Json, readObject } from '../http/hostile-json.ts';
import type { TemplateSettings } from './settings.ts';

/** A template has at most 1,024 characters, of which some are its own words. */
export const TEMPLATE_TEXT_LIMIT = 900;

/** The `channelData` of a reply that goes out as the template of the settings. */
export const AS_TEMPLATE = { whatsapp: { asTemplate: true } };

export function isAsTemplate({ channelData }: ReplyPayload): boolean {
  return readObject(channelData?.whatsapp)?.asTemplate === true;
}

/** A parameter has no line ends, no tabs and no rows of spaces. */
export function templateMessage({ name, language, withText }: TemplateSettings, text: string): Json {
  const line = text.replace(/\s+/g, ' ').trim() || '…';
  const fitting = line.length <= TEMPLATE_TEXT_LIMIT ? line : `${line.slice(0, TEMPLATE_TEXT_LIMIT - 1)}…`;
  const components = [{ type: 'body', parameters: [{ type: 'text', text: fitting }] }];
  const template = { name, language: { code: language }, ...(withText && { components }) };
  return { type: 'template', template };
}
