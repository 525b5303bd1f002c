/** How a run comes by its session. A fork is a copy of another one under an id of its own. */
export type RunAction = 'resume' | 'fresh' | 'fork';
