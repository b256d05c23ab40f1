import { type Answer, answerBrokenVersion, answerNoVersion, answerVersion } from '../endpoints.js';
import type { MessageLevel } from '../heartbeat/messages.js';
import type { VersionOutcome } from './version.js';

/** Turns the outcome of reading the version into answers, and logs why there is none. */
export class VersionAnswers {
  readonly #log: (level: MessageLevel, msg: string) => void;
  #missingLogged = false;

  constructor(log: (level: MessageLevel, msg: string) => void) {
    this.#log = log;
  }

  answer(outcome: VersionOutcome): Answer {
    if (outcome.kind === 'found') return answerVersion(outcome.json);
    if (outcome.kind === 'missing') {
      this.#logMissing(outcome.lookedIn);
      return answerNoVersion;
    }
    this.#log(40, `${outcome.sentence}: ${outcome.cause}`);
    return answerBrokenVersion(outcome.sentence);
  }

  /** Once: a platform asks for a version again and again. */
  #logMissing(lookedIn: readonly string[] | undefined): void {
    if (lookedIn === undefined || this.#missingLogged) return;
    this.#missingLogged = true;
    const where = lookedIn.join(' or ');
    this.#log(
      30,
      `version.json not found in ${where}. Create it with "npx lifesign version", or set versionPath (BASE_DIR in settings).`,
    );
  }
}
