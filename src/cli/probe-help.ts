// Of its own, so that shells can be told its options: see completion/.
export const help = `Usage: lifesign probe [URL] [options]

Asks a health endpoint once and prints one line. Exit code: 0 for 2xx, else 1.
URL: http://…, https://… or unix:/file.sock; by default http://127.0.0.1:$PORT
With --file it looks at the age of the file that a worker touches while well.

Options
  --path PATH      path and query to ask for       (default /__lbheartbeat__)
  --timeout TIME   how long to wait: 500ms, 3s, 3  (default 3s)
  --port PORT      port on this machine            (default $PORT, else 8000)
  --socket FILE    unix socket instead of a port   (default $HEALTH_SOCKET)
  --file FILE      the file of a worker, no server (default $HEALTH_FILE)
  --max-age TIME   how old that file may be        (default 30s)
  --insecure       accept any certificate over https
  --help           this page

Example for a Dockerfile
  HEALTHCHECK --interval=10s --timeout=5s CMD ["lifesign", "probe"]
`;
