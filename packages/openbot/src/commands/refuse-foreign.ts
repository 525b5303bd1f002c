import { OpenBotError } from '@openbot/sessions';
import type { LoadedConfig } from '../config/load-config.ts';

/** A first openbot.json would hide what OpenClaw's file says. */
export function refuseForeign({ openclawPath }: LoadedConfig): void {
  if (openclawPath === undefined) return;
  throw new OpenBotError('USAGE', `The settings are those of ${openclawPath}, which is OpenClaw's`, {
    hint: 'Change them with openclaw, or copy them: openbot init --from-openclaw <its folder> --state-dir <another folder>',
  });
}
