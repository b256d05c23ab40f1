import * as http from 'node:http';
import * as health from 'lifesign/node';
import shops from '../shops.cjs';

shops.node(http, health);
