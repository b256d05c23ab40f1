import router from '@adonisjs/core/services/router';
import db from '@adonisjs/lucid/services/db';
import { requestId } from 'lifesign/adonisjs';

router.get('/', async () => ({ orders: await db.from('orders'), request: requestId() }));
