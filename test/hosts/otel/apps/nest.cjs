require('reflect-metadata');
void require('../shops.cjs').nest(
  require('@nestjs/common'),
  require('@nestjs/core'),
  require('lifesign/nestjs'),
);
