import fc from 'fast-check';

/** A model that binds thinking to what was said before it. */
export const BINDING_MODEL = 'claude-opus-5-5';

/** The model that says everything in a transcript. */
export const models: fc.Arbitrary<string> = fc.constantFrom('claude-opus-4-5', BINDING_MODEL);
