import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { StorageCheck } from './checks/storage.check.js';
import { databaseOptions } from './data-source.js';
import { Order } from './orders/order.entity.js';
import { OrdersController } from './orders/orders.controller.js';

@Module({
  imports: [
    TypeOrmModule.forRoot(databaseOptions),
    TypeOrmModule.forFeature([Order]),
    HealthModule.forRoot({
      BASE_DIR: new URL('..', import.meta.url),
      DEBUG: process.env['NODE_ENV'] !== 'production',
      HEALTH_CHECKS: [
        'lifesign/checks.checkDatabaseConnected',
        'lifesign/checks.checkMigrationsApplied',
        ['storage', StorageCheck, { timeout: 500 }],
      ],
    }),
  ],
  controllers: [OrdersController],
  providers: [StorageCheck],
})
export class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(HealthMiddleware).forRoutes('{*path}');
  }
}
