# A service manager for a test: prints each datagram that comes to its socket. An @ at the beginning names an abstract one.
import socket, sys

name = sys.argv[1]
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("\0" + name[1:] if name.startswith("@") else name)
print("listening", flush=True)
while True:
    # A barrier of sd_notify brings a descriptor that is closed unread.
    data, _, _, _ = socket.recv_fds(manager, 4096, 4)
    print(data.decode(), flush=True)
