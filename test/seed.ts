/** The seed of everything that tests generate: this one in `npm test`; `npm run test:all` draws another and prints it. */
export const seed = Number(process.env['SEED'] ?? 20_261_119);
