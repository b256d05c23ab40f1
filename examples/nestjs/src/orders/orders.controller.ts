import { Controller, Get, Inject } from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import { requestId } from 'lifesign/nestjs';
import type { Repository } from 'typeorm';
import { Order } from './order.entity.js';

@Controller('orders')
export class OrdersController {
  constructor(@Inject(getRepositoryToken(Order)) private readonly orders: Repository<Order>) {}

  @Get()
  async list() {
    return { orders: await this.orders.find(), request: requestId() };
  }
}
