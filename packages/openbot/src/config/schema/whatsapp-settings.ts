/** WhatsApp, by the Cloud API. */
import * as z from 'zod/mini';
import { about, flag, id, secret, section, someText, text } from './values.ts';

const version = 'must be a version such as v24.0';
const address = 'must be an address that begins with https:// or http://';

export const whatsappSettings = {
  phoneNumberId: about('The id of your number in the API, not the number itself', z.optional(id)),
  accessToken: secret('The token of a system user with the right whatsapp_business_messaging', someText),
  appSecret: secret('The secret of the Meta app, which signs what WhatsApp sends', someText),
  verifyToken: secret('Words of your choice that are also given to Meta with the webhook', someText),
  apiRoot: about(
    'Where the API is',
    z.optional(z.string('must be text').check(z.regex(/^https?:\/\//, address))),
    'https://graph.facebook.com',
  ),
  apiVersion: about(
    'Its version',
    z.optional(z.string('must be text').check(z.regex(/^v\d+\.\d+$/, version))),
    'v24.0',
  ),
  sendReadReceipts: about('Whether people see that their message was read', flag, true),
  template: about(
    'An approved template, sent in the place of a reply when the last message of the person is older than 24 hours. Without it such a reply fails',
    section({
      name: about('Its name', text),
      language: about('Its language, such as `en_US`', text),
      withText: about(
        'Whether the reply is put into the one parameter of its body, on one line and cut to what fits. Otherwise the template is sent as it is, and the reply counts as failed',
        flag,
        false,
      ),
    }),
  ),
};
