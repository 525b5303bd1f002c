import { OpenBotError } from '@openbot/sessions';
import * as z from 'zod/mini';
import { whatsappSettings } from '../../config/schema/whatsapp-settings.ts';

export interface TemplateSettings {
  readonly name: string;
  readonly language: string;
  /** The reply is the value of the one parameter of its body. */
  readonly withText: boolean;
}

/** What the adapter needs of `channels.whatsapp`. */
export interface WhatsAppSettings {
  readonly phoneNumberId: string;
  readonly accessToken: string;
  readonly appSecret: string;
  readonly verifyToken: string;
  /** Without a slash at its end. */
  readonly apiRoot: string;
  readonly apiVersion: string;
  readonly sendReadReceipts: boolean;
  readonly template?: TemplateSettings;
}

const shape = z.object(whatsappSettings);

/** Names the setting that is missing or wrong, never its value. */
export function readWhatsAppSettings(settings: Readonly<Record<string, unknown>>): WhatsAppSettings {
  const read = shape.safeParse(settings);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    throw new OpenBotError('CONFIG_INVALID', `channels.whatsapp.${path.join('.')} ${message}`);
  }
  const { template, ...given } = read.data;
  return {
    phoneNumberId: need('phoneNumberId', String(given.phoneNumberId ?? '')),
    accessToken: need('accessToken', given.accessToken),
    appSecret: need('appSecret', given.appSecret),
    verifyToken: need('verifyToken', given.verifyToken),
    apiRoot: (given.apiRoot ?? 'https://graph.facebook.com').replace(/\/+$/, ''),
    apiVersion: given.apiVersion ?? 'v24.0',
    sendReadReceipts: given.sendReadReceipts ?? true,
    ...(template && { template: { withText: false, ...template } }),
  };
}

function need(name: string, value: string | undefined): string {
  if (value) return value;
  throw new OpenBotError('CONFIG_INVALID', `channels.whatsapp.${name} is missing`, {
    hint: 'docs/channels/whatsapp.md says where to find it.',
  });
}
