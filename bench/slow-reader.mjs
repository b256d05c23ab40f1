// Reads standard input at a bounded rate: node bench/slow-reader.mjs BYTES_PER_SECOND
import { readSync } from 'node:fs';

const perTurn = Number(process.argv[2]) / 100;
const buffer = Buffer.alloc(64 * 1024);
const sleep = new Int32Array(new SharedArrayBuffer(4));
let due = 0;
for (;;) {
  Atomics.wait(sleep, 0, 0, 10);
  for (due += perTurn; due > 0;) {
    const read = readSync(0, buffer, 0, Math.min(buffer.length, Math.ceil(due)));
    if (read === 0) process.exit();
    due -= read;
  }
}
