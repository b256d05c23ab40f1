/** The path on which instances of a service ask each other. */
export const peerPath = '/__peer__';
