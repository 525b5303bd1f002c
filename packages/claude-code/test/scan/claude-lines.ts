import fc from 'fast-check';

/** Lines as Claude Code writes them, and as they go wrong. Few ids, so that they meet again. */
const uuid = fc.constantFrom('u1', 'u2', 'u3', 'u4', 'u5', 'u6');
const messageId = fc.option(fc.constantFrom('msg_1', 'msg_2', 'msg_3', 'msg_é'), { nil: undefined });
const figure = fc.oneof(fc.nat(5000), fc.constantFrom(-3, 1.5, null, 'x', 2 ** 60));
const text = fc.oneof(
  fc.constantFrom(
    'fix the login page',
    '[openclaw:agent=main]\n\nfix the tests',
    '[openclaw:agent=]\nodd',
    'see [openclaw:agent=x]',
    '<command-name>/clear</command-name>',
    '<local-command-stdout>done</local-command-stdout>',
    '<task-notification>finished</task-notification>',
    '[Request interrupted by user]',
    '<div>typed all the same</div>',
    '',
    '   ',
    `${'x'.repeat(199)}😀 and more`,
    'quotes " and \\ and \u2028 and \n lines',
  ),
  fc.string({ maxLength: 30, unit: 'grapheme' }),
);
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('image'), source: fc.constant({ data: 'AAAA' }) }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: fc.constant('t1'), content: text }),
  fc.constantFrom(null, 'odd', 3),
);
const place = fc.record(
  {
    cwd: fc.constantFrom('/work/a', '/work/a/sub', '/work/ü', 'relative', 7),
    gitBranch: fc.constantFrom('main', 'feature/x', 'HEAD', null),
    version: fc.constantFrom('2.1.325', '2.1.326'),
    slug: fc.constantFrom('calm-green-fox'),
    isSidechain: fc.boolean(),
    forkedFrom: fc.record({ sessionId: fc.constantFrom('s1', 's2'), messageUuid: uuid }),
  },
  { requiredKeys: [] },
);
const user = fc.record(
  {
    type: fc.constant('user'),
    uuid,
    isMeta: fc.boolean(),
    isCompactSummary: fc.boolean(),
    permissionMode: fc.constantFrom('default', 'plan'),
    origin: fc.record({ kind: fc.constantFrom('human', 'task-notification') }),
    toolUseResult: fc.constantFrom('text', { stdout: 'x' }, ['y']),
    message: fc.record({
      role: fc.constant('user'),
      content: fc.oneof(text, fc.array(block, { maxLength: 3 })),
    }),
  },
  { requiredKeys: ['type', 'uuid', 'message'] },
);
const assistant = fc.record(
  {
    type: fc.constant('assistant'),
    uuid,
    isApiErrorMessage: fc.boolean(),
    message: fc.record(
      {
        id: messageId,
        model: fc.constantFrom('claude-opus-5-5', '<synthetic>'),
        content: fc.array(block, { maxLength: 2 }),
        usage: fc.record(
          {
            input_tokens: figure,
            output_tokens: figure,
            cache_read_input_tokens: figure,
            cache_creation_input_tokens: figure,
            estimatedBy: fc.constantFrom('openbot', 'other'),
          },
          { requiredKeys: ['input_tokens'] },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['type', 'uuid', 'message'] },
);
const boundary = fc.record({ type: fc.constant('system'), subtype: fc.constant('compact_boundary'), uuid });
const sidecar = fc.constantFrom(
  { type: 'permission-mode', permissionMode: 'auto', sessionId: 's' },
  { type: 'last-prompt', lastPrompt: 'compact_boundary', leafUuid: 'u1', cwd: '/not/in/the/chain' },
  { type: 'api-request', version: 3, gitBranch: 'not-a-branch', message: { id: 'msg_9' } },
  { type: 'custom-title', customTitle: 'The Parser', sessionId: 's' },
  { type: 'custom-title', customTitle: '', sessionId: 's' },
  { type: 'custom-title', customTitle: 7, aiTitle: 'not of this type', sessionId: 's' },
  { type: 'ai-title', aiTitle: 'Teaching a parser', sessionId: 's' },
  { type: 'summary', summary: 'compact summary', leafUuid: 'u1' },
);
const inChain = fc
  .tuple(fc.oneof(user, assistant, boundary), place)
  .map(([line, where]) => JSON.stringify({ ...line, ...where }));
const oddText = fc.constantFrom(
  '',
  '   ',
  '{"half',
  'null',
  '[1]',
  '{}',
  'not json',
  '{"type":"user","uuid":null}',
);

export const lineText = fc.oneof(
  { weight: 8, arbitrary: inChain },
  { weight: 1, arbitrary: sidecar.map((line) => JSON.stringify(line)) },
  { weight: 1, arbitrary: oddText },
  { weight: 1, arbitrary: inChain.map((line) => `${line}\r`) },
);

/** The text of a file; the last line may lack its end or be cut anywhere. */
export const transcriptText = fc
  .tuple(fc.array(lineText, { maxLength: 25 }), fc.boolean(), fc.nat(20))
  .map(([lines, isWhole, cut]) => {
    const whole = lines.map((line) => `${line}\n`).join('');
    return isWhole ? whole : whole.slice(0, Math.max(0, whole.length - 1 - cut));
  });
