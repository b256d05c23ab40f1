// Second versions of packages, installed under another name; their types are those of the first.
declare module 'express4' {
  export { default } from 'express';
}
declare module 'koa2' {
  export { default } from 'koa';
}
