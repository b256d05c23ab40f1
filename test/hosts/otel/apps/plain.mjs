import express from 'express';
import shops from '../shops.cjs';

shops.plain(express);
