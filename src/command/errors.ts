// Misuse of the command line. Kept from core/errors.ts so that no application loads it.
import { LifesignError, shown } from '../core/options/errors.js';

export const fileUnusable = (file: string, verb: 'read' | 'written', cause: string) =>
  new LifesignError(
    'LIFESIGN_FILE',
    `${file} cannot be ${verb}: ${cause}. Check its name, its directory and its permissions.`,
  );

export const urlInvalid = (source: string, value: string, expects: string) =>
  new LifesignError('LIFESIGN_URL', `${source} is ${shown(value)}; it must be ${expects}.`);

/** A mistake in a command line. The program, which knows its name, adds the command that shows the help. */
export const usageInvalid = (sentence: string) => new LifesignError('LIFESIGN_USAGE', `${sentence}.`);

/** `refusal` is what git says when it does not answer. */
export const commitMissing = (provider: string | undefined, refusal: string | undefined) =>
  new LifesignError(
    'LIFESIGN_COMMIT_MISSING',
    `No commit found: ${
      provider === undefined ? 'no CI provider was detected' : `${provider} did not provide it`
    }, and ${
      refusal === undefined
        ? 'this directory is not in a git repository with a commit (or git is not installed)'
        : `git did not answer: ${refusal}`
    }. Set it yourself: lifesign version --set commit=COMMIT. In a Dockerfile write ARG COMMIT and ` +
      'RUN lifesign version --set commit=$COMMIT, and build with docker build --build-arg COMMIT=$(git rev-parse HEAD) .',
  );
