export { versionDetector } from './detector.js';
export { ignoreHealthRequests } from './ignore.js';
