export { claudeProjectSlug as repoPathToSlug, MAX_SLUG, maySlugBeBelow } from '@openbot/sessions/layout';
