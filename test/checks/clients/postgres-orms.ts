import { AppFactory } from '@adonisjs/core/factories/app';
import { EmitterFactory } from '@adonisjs/core/factories/events';
import { LoggerFactory } from '@adonisjs/core/factories/logger';
import { Database } from '@adonisjs/lucid/database';
import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import { PrismaPg } from '@prisma/adapter-pg';
import { generatePrisma7 } from '../../hosts/prisma.js';
import { type Exercised, poolSize } from './client.js';
import { pgPoolOf } from './postgres.js';

export const Thing = new EntitySchema({
  name: 'Thing',
  properties: { id: { type: 'number', primary: true } },
});

export function lucidOf(
  target: {
    readonly port: number;
    readonly host: string;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  },
  migrations?: string,
): Database {
  const app = new AppFactory().create(new URL('../../../', import.meta.url), () => Promise.resolve({}));
  return new Database(
    {
      connection: 'main',
      connections: {
        main: {
          client: 'pg',
          connection: { ...target },
          pool: { min: 0, max: poolSize },
          ...(migrations !== undefined && { migrations: { paths: [migrations] } }),
        },
      },
    },
    new LoggerFactory().merge({ enabled: false }).create(),
    new EmitterFactory().create(app),
  );
}

export const postgresOrms: readonly Exercised[] = [
  {
    name: 'Prisma on pg',
    package: '@prisma/client',
    open(target) {
      const pool = pgPoolOf(target);
      const Prisma = generatePrisma7('postgresql');
      const prisma = new Prisma({ adapter: new PrismaPg(pool) });
      return {
        client: prisma,
        slots: () => pool.totalCount - pool.idleCount,
        query: (sql) => prisma.$executeRawUnsafe(sql),
        close: () => prisma.$disconnect(),
      };
    },
  },
  {
    name: 'MikroORM on pg',
    package: '@mikro-orm/core',
    open({ database, ...target }) {
      const orm = MikroORM.initSync({
        ...target,
        dbName: database,
        entities: [Thing],
        pool: { min: 0, max: poolSize },
        logger: () => {},
        discovery: { warnWhenNoEntities: false },
      });
      return {
        client: orm,
        slots: () => orm.em.getKnex().client.pool.numUsed(),
        query: (sql) => orm.em.getConnection().execute(sql),
        close: () => orm.close(true),
      };
    },
  },
  {
    name: 'Lucid on pg',
    package: '@adonisjs/lucid',
    open(target) {
      const db = lucidOf(target);
      return {
        client: db,
        slots: () => db.connection().getWriteClient().client.pool.numUsed(),
        query: async (sql) => db.rawQuery(sql),
        close: () => db.manager.closeAll(),
      };
    },
  },
];
