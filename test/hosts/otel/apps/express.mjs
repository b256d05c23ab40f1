import express from 'express';
import * as health from 'lifesign/express';
import shops from '../shops.cjs';

shops.express(express, health);
