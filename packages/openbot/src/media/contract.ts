/**
 * Files of messages, for whatever receives or sends them: the gateway, `/v1`, and the adapters of chat networks.
 *
 * In: an adapter downloads a file, gives its bytes to `keepMedia` and puts what it gets into the message by `mediaFields`,
 * all before it calls `ChannelHost.accept`. The turn does the rest: a model that can see is given images, and every
 * model reads a note with path and type.
 *
 * Out: an adapter gives each of `payload.mediaUrls` to `readOutgoingMedia` and uploads what it gets.
 */

/** What holds for files of messages. `mediaSettings` reads it from the configuration. */
export interface MediaSettings {
  readonly stateDir: string;
  /** Of one file, in or out. */
  readonly maxBytes: number;
  /** How long a file that arrived is kept. */
  readonly keptMs: number;
  /** Absolute. Files that may be sent are in these: the workspaces of the agents and the folder of what arrived. */
  readonly sendableDirs: readonly string[];
  /** Whether what is sent may be fetched from this machine and from private networks. */
  readonly allowPrivateNetwork: boolean;
}

/** A file that arrives. Nothing of it is trusted. */
export interface IncomingFile {
  /** Read once, and not beyond the limit. A download that fails makes `keepMedia` fail with the same error. */
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** What its sender says it is. The bytes decide, where they tell. */
  readonly declaredType?: string;
  /** As its sender calls it. The file gets a safe form of it. */
  readonly name?: string;
}

/** A file that is kept. JSON values only. */
export interface KeptMedia {
  /** Absolute. The same bytes under the same name have the same path, so that a repeat keeps nothing twice. */
  readonly path: string;
  /** Such as `image/png`; `application/octet-stream` where nothing tells. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** A safe form of the name that was given; the last part of the path. */
  readonly name: string;
}

/** A file that did not arrive: it was too large, or the network did not give it. The model is told. */
export interface MissingMedia {
  readonly name?: string;
  readonly type?: string;
  /** For people: `larger than 20 MB`. */
  readonly reason: string;
}

/** The kinds that chat networks have calls for. */
export type MediaKind = 'image' | 'audio' | 'video' | 'document';

/** A file to send. */
export interface OutgoingMedia {
  readonly bytes: Buffer;
  /** By the bytes, else by the name or what the server said. */
  readonly type: string;
  readonly kind: MediaKind;
  /** Safe as a file name, with the extension of the type. */
  readonly name: string;
}

/**
 * Keeps a file, durably. It is private to the owner of the state folder, and links are not followed.
 * Throws OpenBotError: MEDIA_TOO_LARGE, MEDIA_REFUSED for an empty file; else what the disk or `bytes` threw. Nothing of
 * the file is left behind then.
 */
export type KeepMedia = (
  settings: Pick<MediaSettings, 'stateDir' | 'maxBytes'>,
  file: IncomingFile,
) => Promise<KeptMedia>;

/**
 * Reads what `ReplyPayload.mediaUrls` names: a path inside of `sendableDirs`, an http(s) address, or a `data:` URL. Links that lead
 * out of the folders are refused, and so are addresses of private networks, also after a redirect.
 * Throws OpenBotError: MEDIA_TOO_LARGE and MEDIA_REFUSED are final; MEDIA_UNREACHABLE may succeed later.
 */
export type ReadOutgoingMedia = (
  settings: Pick<MediaSettings, 'maxBytes' | 'sendableDirs' | 'allowPrivateNetwork'>,
  url: string,
  signal?: AbortSignal,
) => Promise<OutgoingMedia>;
