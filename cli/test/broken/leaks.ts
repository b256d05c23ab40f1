/** Texts that must not stand in an answer. */
export const leaks: readonly (readonly [string, string])[] = [
  ['a URL with a password', 'cannot reach postgres://app:hunter2@db/app'],
  ['a connection string', 'Server=db;User Id=app;Password=hunter2;'],
  ['a password by name', 'login failed, password=hunter2'],
  ['a bearer token', 'sent Authorization: Bearer c2VjcmV0LXRva2VuLTEyMzQ1Njc4'],
  ['an access key', 'key AKIAIOSFODNN7EXAMPLE was refused'],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----'],
  ['a stack of JavaScript', 'Error: no\n    at connect (/app/db.js:3:7)'],
  [
    'a stack of Python',
    'Traceback (most recent call last):\n  File "/app/db.py", line 3, in connect\n    raise X',
  ],
  ['a frame of Python', 'no\n  File "/app/db.py", line 3, in connect'],
  ['a stack of Java', 'java.sql.SQLException: no\n\tat com.acme.Db.connect(Db.java:42)'],
  ['a stack of Kotlin', 'no\n\tat com.acme.DbKt$main$1.invoke(Db.kt:42)'],
  ['a stack of Go', 'panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d'],
  ['a stack of Ruby', "/app/db.rb:12:in `connect': no (RuntimeError)"],
  ['a stack of PHP', 'PHP Fatal error: no\n#0 /app/db.php(12): connect()\n#1 {main}'],
  ['a stack of .NET', 'System.Exception: no\n   at Acme.Db.Connect(String s) in /app/Db.cs:line 42'],
  ['a stack of Rust', "thread 'main' panicked at src/main.rs:4:5:\nno"],
];
