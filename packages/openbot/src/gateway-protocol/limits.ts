/** Limits of OpenClaw's gateway, so that clients which know them find the same ones. */
export const PROTOCOL = 4;
export const LARGEST_FRAME_BEFORE_HELLO = 65_536;
export const LARGEST_FRAME = 26_214_400;
export const LARGEST_BUFFER = 50 * 1024 * 1024;
export const HANDSHAKE_MS = 15_000;
export const TICK_MS = 30_000;
export const HEALTH_MS = 60_000;
