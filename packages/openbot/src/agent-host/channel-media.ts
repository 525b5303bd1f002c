import type { Environment } from '@openbot/sessions/layout';
import type { ChannelMedia } from '../channels/contract.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { keepMedia } from '../media/keep-media.ts';
import { mediaSettings } from '../media/media-settings.ts';

interface Place {
  /** Always the present one. */
  readonly config: BotConfig;
  /** Absolute. */
  readonly stateDir: string;
  readonly env: Environment;
}

/** Files of messages of all channels, under the settings as they are at the time. */
export function channelMedia(place: Place): ChannelMedia {
  return {
    get maxBytes() {
      return mediaSettings(place).maxBytes;
    },
    keep: (file) => keepMedia(mediaSettings(place), file),
    read: async (url, signal) => {
      // What it needs is loaded with the first file.
      const { readOutgoingMedia } = await import('../media/outgoing/read-outgoing-media.ts');
      return readOutgoingMedia(mediaSettings(place), url, signal);
    },
  };
}
