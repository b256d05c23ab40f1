import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { listenOptions } from 'lifesign/nestjs';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.setGlobalPrefix('api');
app.enableShutdownHooks();
const { port, host } = listenOptions();
await app.listen(port, host);
