import 'reflect-metadata';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as health from 'lifesign/nestjs';
import shops from '../shops.cjs';

await shops.nest(common, core, health);
