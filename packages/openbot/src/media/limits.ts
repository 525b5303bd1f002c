import { OpenBotError } from '@openbot/sessions';

/** For people: `larger than 20 MB`. */
export function describeLimit(maxBytes: number): string {
  const mb = maxBytes / 1024 / 1024;
  return `larger than ${mb >= 0.1 ? `${Number(mb.toFixed(2))} MB` : `${maxBytes} bytes`}`;
}

export function tooLarge(maxBytes: number): OpenBotError {
  return new OpenBotError('MEDIA_TOO_LARGE', `The file is ${describeLimit(maxBytes)}`, {
    hint: 'agents.defaults.mediaMaxMb sets the limit.',
  });
}
