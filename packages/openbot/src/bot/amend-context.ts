import type { MsgContext } from '@openbot/sessions';

/**
 * What is kept of a message that a person changed: the new text, where the message was routed to, and its files and the
 * words that its thread began with, unless the change brings its own.
 */
export function amendContext(former: MsgContext, received: MsgContext): MsgContext {
  const { ParentSessionKey, SessionKey, ThreadStarterBody } = former;
  const isOfFiles = ([name]: [string, unknown]) => name.startsWith('Media');
  const files = Object.entries(received).some(isOfFiles)
    ? {}
    : Object.fromEntries(Object.entries(former).filter(isOfFiles));
  return {
    ...files,
    ...(ThreadStarterBody && { ThreadStarterBody }),
    ...received,
    ...(ParentSessionKey && { ParentSessionKey }),
    ...(SessionKey && { SessionKey }),
  };
}
