/** Choices of the service's operator. */
export interface Expectations {
  /** Status code of a failed heartbeat. */
  readonly failedStatusCode: number;
  /** The lowest level that fails it. */
  readonly failLevel: number;
  /** Milliseconds an answer may take. */
  readonly maxLatency: number;
}
