// A pure microservice of NestJS over TCP, which a test ends by a signal: node --import tsx message-app.ts PORT
import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, Transport } from '@nestjs/microservices';
import { HealthModule } from 'lifesign/nestjs';

class Orders {
  async answer(time: number): Promise<string> {
    process.send?.('begun');
    await new Promise((resolve) => setTimeout(resolve, time));
    return `answered after ${time}`;
  }
}
const answer = Object.getOwnPropertyDescriptor(Orders.prototype, 'answer') ?? {};
MessagePattern('order')(Orders.prototype, 'answer', answer);
Controller()(Orders);
class App {}
const health = HealthModule.forRoot({
  BASE_DIR: process.cwd(),
  HEALTH_CHECKS: [],
  HEALTH_PORT: 0,
  HEALTH_DRAIN_DELAY: 0,
});
Module({ imports: [health], controllers: [Orders] })(App);
const options = { host: '127.0.0.1', port: Number(process.argv[2]) };
const app = await NestFactory.createMicroservice(App, { logger: false, transport: Transport.TCP, options });
app.enableShutdownHooks();
await app.listen();
process.send?.('listening');
