import type { MsgContext } from '@openbot/sessions';
import type { KeptMedia, MissingMedia } from './contract.ts';

/** The fields of a message that has files, and of one whose files did not arrive. */
export function mediaFields(
  kept: readonly KeptMedia[],
  missing: readonly MissingMedia[] = [],
): Pick<MsgContext, 'MediaPath' | 'MediaType' | 'MediaPaths' | 'MediaTypes' | 'MediaMissing'> {
  const [first] = kept;
  return {
    ...(first && {
      MediaPath: first.path,
      MediaType: first.type,
      MediaPaths: kept.map(({ path }) => path),
      MediaTypes: kept.map(({ type }) => type),
    }),
    ...(missing.length > 0 && {
      MediaMissing: missing.map(({ name, type, reason }) => ({
        ...(name !== undefined && { name }),
        ...(type !== undefined && { type }),
        reason,
      })),
    }),
  };
}

/** The fields alone that name files, as OpenClaw writes them beside a message in the transcript. */
export function mediaOf({ MediaPath, MediaType, MediaPaths, MediaTypes }: MsgContext): MsgContext {
  return {
    ...(MediaPath !== undefined && { MediaPath }),
    ...(MediaPaths !== undefined && { MediaPaths }),
    ...(MediaType !== undefined && { MediaType }),
    ...(MediaTypes !== undefined && { MediaTypes }),
  };
}

/** A file of a message, as its fields name it. */
export interface MessageMedia {
  /** Empty where only the address is known. */
  readonly path: string;
  readonly type: string;
  readonly url: string;
}

export function listMedia(ctx: MsgContext): MessageMedia[] {
  const paths = ctx.MediaPaths ?? one(ctx.MediaPath);
  const urls = ctx.MediaUrls ?? one(ctx.MediaUrl);
  const types = ctx.MediaTypes ?? one(ctx.MediaType);
  const count = Math.max(paths.length, urls.length);
  return Array.from({ length: count }, (_, n) => ({
    path: paths[n] ?? '',
    type: types[n] ?? '',
    url: urls[n] ?? '',
  }));
}

function one(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}
