import { writeJson } from '@openbot/sessions/command-line';
import { mergePresets } from '../clean/presets.ts';
import { withWarnings } from '../finding/search-warning.ts';
import { describeSession } from '../operations/describe-session.ts';
import { formatInfo } from '../report/info.ts';
import { recommendPreset } from '../report/recommendation.ts';
import type { OccInput } from './command.ts';
import type { COMMON_FLAGS } from './flags.ts';
import { reportOptionsOf } from './report-options.ts';
import { openSearch } from './search-scope.ts';
import { writeReport } from './write-result.ts';

/** What a session is made of, where its context goes, and what each preset would leave. */
export async function info(input: OccInput<typeof COMMON_FLAGS>): Promise<void> {
  const presets = Object.fromEntries(mergePresets(input.settings.customPresets));
  const { scope, warnings } = openSearch(input);
  const described = await describeSession({
    scope,
    sessionId: input.words[0],
    presets,
  });
  if (input.flags.json)
    writeJson(
      input.terminal,
      withWarnings({ ...described.info, recommendation: recommendPreset(described.info, presets) }, warnings),
    );
  else
    writeReport(
      input.terminal,
      formatInfo(described.info, { ...described, presets }, reportOptionsOf(input, scope)),
    );
}
