/** The generic channel: signed HTTP in and out. */
import * as z from 'zod/mini';
import { about, count, flag, secret } from './values.ts';

const address = 'must be an address that begins with https:// or http://';

export const webhookSettings = {
  secret: secret(
    'What both sides sign with, at least 16 characters. `openssl rand -hex 32` makes one',
    z.optional(z.string('must be text').check(z.minLength(16, 'must have at least 16 characters'))),
  ),
  url: about(
    'Where replies are posted. Without it the channel only takes messages',
    z.optional(z.string('must be text').check(z.regex(/^https?:\/\//, address))),
  ),
  textLimit: about('The most characters of one reply; longer ones are split. No limit when absent', count(1)),
  recognisesRepeats: about(
    'Whether the program at `url` ignores an `Idempotency-Key` that it has had. Otherwise a reply that may have arrived is repeated with a mark',
    flag,
    false,
  ),
};
