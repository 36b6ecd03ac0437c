# SPDX-License-Identifier: Apache-2.0
"""A server of HTTP on 127.0.0.1 that answers as it is told, and prints a line of JSON for each request.

http-server.py PORT ORDERS [CERTIFICATE KEY [AUTHORITIES]]

ORDERS is a file that is read for each request. The first of its lines that fits decides: `ANSWER [TEXT]`, for bodies in which TEXT stands.
ANSWER: a status, which `;NAME=VALUE` gives a header; `drop`: the request is taken and the connection closed; `close`: it is not even taken;
`hang`: nothing is said as long as the file says so; `flood`: 200 and a long array of commands.
"""
import base64, http.server, json, socket, ssl, sys, time

port, orders = int(sys.argv[1]), sys.argv[2]


def order(body):
    with open(orders) as file:
        for line in file:
            answer, _, text = line.strip().partition(" ")
            if text in body:
                return answer
    return "200"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Else what is written second waits for who acknowledges the first late.
    disable_nagle_algorithm = True
    connections = 0

    def setup(self):
        super().setup()
        Handler.connections += 1
        self.number = Handler.connections

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        answer = order(body)
        while answer == "hang":
            time.sleep(0.02)
            answer = order(body)
            if answer != "hang":
                self.close_connection = True
                return
        status, *headers = answer.split(";")
        if answer != "close":
            request = {"status": 0 if answer == "drop" else 200 if answer == "flood" else int(status), "path": self.path}
            request["body"] = json.loads(body)
            request["connection"] = self.number
            for name in "X-Limit-U", "X-Limit-D", "Authorization", "Content-Type":
                request[name] = self.headers.get(name)
            print(json.dumps(request), flush=True)
        if answer in ("drop", "close"):
            self.close_connection = True
            return
        content = b"[]" if answer != "flood" else b"[" + b'{"_type":"cmd"},' * 100_000 + b"0]"
        try:
            self.send_response(200 if answer == "flood" else int(status))
            for header in headers:
                self.send_header(*header.split("=", 1))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass


server = Server(("127.0.0.1", port), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    if len(sys.argv) > 5:
        context.load_verify_locations(sys.argv[5])
        context.verify_mode = ssl.CERT_REQUIRED
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(json.dumps({"port": server.server_address[1]}), flush=True)
server.serve_forever()
