// As the documentation of OpenTelemetry says for CommonJS: node --require ./instrumentation.cjs app.cjs
require('./sdk.cjs').sdk.start();
