/** Limits of OpenClaw's gateway, so that clients which know them find the same ones. */
export const PROTOCOL = 4;
export const LARGEST_FRAME_BEFORE_HELLO = 65_536;
export const LARGEST_FRAME = 26_214_400;
export const LARGEST_BUFFER = 50 * 1024 * 1024;
export const HANDSHAKE_MS = 15_000;
export const TICK_MS = 30_000;
export const HEALTH_MS = 60_000;
/** Ours: OpenClaw names none for these. */
export const MOST_CONNECTIONS = 1_000;
/** From one network elsewhere, so that others find a place. */
export const MOST_CONNECTIONS_OF_NETWORK = 200;
export const MOST_PENDING_REQUESTS = 256;
export const MOST_SUBSCRIPTIONS = 1_000;
/** Bytes that wait for a connection before droppable events are left out for it. */
export const SLOW_BUFFER = 4 * 1024 * 1024;
