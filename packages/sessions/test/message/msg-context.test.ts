/** Checked by the compiler: a name that an adapter or a template uses and that is no field does not compile. */
import { expectTypeOf, it } from 'vitest';
import type { MsgContext, TemplateContext } from '../../src/message/msg-context.ts';

type Text =
  | 'Body'
  | 'RawBody'
  | 'CommandBody'
  | 'BodyForAgent'
  | 'BodyForCommands'
  | 'From'
  | 'To'
  | 'SessionKey'
  | 'ParentSessionKey'
  | 'AccountId'
  | 'ChatType'
  | 'Provider'
  | 'Surface'
  | 'OriginatingChannel'
  | 'OriginatingTo'
  | 'ConversationLabel'
  | 'ThreadLabel'
  | 'GroupSubject'
  | 'GroupChannel'
  | 'GroupSpace'
  | 'SenderName'
  | 'SenderUsername'
  | 'SenderTag'
  | 'SenderE164'
  | 'SenderId';

it('has what adapters fill in, under the names that they use', () => {
  expectTypeOf<Pick<MsgContext, Text>>().toEqualTypeOf<{ [K in Text]?: string }>();
  expectTypeOf<MsgContext['UntrustedContext']>().toEqualTypeOf<string[] | undefined>();
  expectTypeOf<MsgContext['MessageThreadId']>().toEqualTypeOf<string | number | undefined>();
  expectTypeOf<MsgContext['CommandAuthorized']>().toEqualTypeOf<boolean | undefined>();
});

it('gains what the session adds', () => {
  expectTypeOf<TemplateContext>().toExtend<MsgContext>();
  expectTypeOf<Exclude<keyof TemplateContext, keyof MsgContext>>().toEqualTypeOf<
    'BodyStripped' | 'SessionId' | 'IsNewSession'
  >();
});
