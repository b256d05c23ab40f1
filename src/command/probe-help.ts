export const help = `Usage: lifesign probe [URL] [options]

Requests a health endpoint once, prints one line. Exit code: 0 for 2xx, else 1.
URL: http://…, https://… or unix:/file.sock; by default http://127.0.0.1:$PORT
With --file it checks the age of the file that a healthy worker touches.

Options
  --path PATH      path and query to request       (default /__lbheartbeat__)
  --timeout TIME   how long to wait: 500ms, 3s, 3  (default 3s)
  --port PORT      port on this machine            (default $PORT, else 8000)
  --socket FILE    Unix socket instead of a port   (default $HEALTH_SOCKET)
  --file FILE      a worker's file, not a server   (default $HEALTH_FILE)
  --max-age TIME   maximum age of that file        (default 30s)
  --insecure       accept any certificate over https
  --help           show this help

Example for a Dockerfile
  HEALTHCHECK --interval=10s --timeout=5s CMD ["lifesign", "probe"]
`;
