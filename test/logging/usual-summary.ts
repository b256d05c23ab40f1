/** The fields of a summary that has nothing to say. */
export const usualSummary = {
  errno: 0,
  agent: '',
  lang: '',
  method: 'GET',
  path: '/',
  code: 200,
  uid: '',
  rid: 'r',
  t: 1,
} as const;
