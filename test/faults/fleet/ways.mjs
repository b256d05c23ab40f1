// node --import ways.mjs app.js: WAYS=5432:40001 leads connections to port 5432 through the tunnel at port 40001. The instances of a fleet have their
// own ways to one database, whose address is the same in all of them.
import { Socket } from 'node:net';

const ways = new Map((process.env.WAYS ?? '').split(',').map((way) => way.split(':').map(Number)));
const { connect } = Socket.prototype;
Socket.prototype.connect = function connectThrough(first, ...rest) {
  if (!Array.isArray(first)) return connect.call(this, ways.get(Number(first)) ?? first, ...rest);
  // Settings that Node has normalised.
  const [settings] = first;
  if (ways.has(Number(settings.port))) settings.port = ways.get(Number(settings.port));
  return connect.call(this, first, ...rest);
};
