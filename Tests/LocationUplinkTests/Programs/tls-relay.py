# SPDX-License-Identifier: Apache-2.0
"""A relay from TLS to a plain port on 127.0.0.1, for clients that name a protocol in the handshake (ALPN); it turns others away.

tls-relay.py PORT TARGET CERTIFICATE KEY PROTOCOL
"""
import select, socket, socketserver, ssl, sys

port, target, certificate, key, protocol = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols([protocol])


class Relay(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            with context.wrap_socket(self.request, server_side=True) as client:
                if client.selected_alpn_protocol() != protocol:
                    return
                with socket.create_connection(("127.0.0.1", target)) as broker:
                    while True:
                        ready = [client] if client.pending() else select.select([client, broker], [], [])[0]
                        for side in ready:
                            data = side.recv(65536)
                            if not data:
                                return
                            (broker if side is client else client).sendall(data)
        except OSError:
            pass


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


with Server(("127.0.0.1", port), Relay) as server:
    print("listening", flush=True)
    server.serve_forever()
