export { connectHealth } from './connect.js';
export { type GrpcHealthCalls, grpcHealth } from './grpc-js.js';
