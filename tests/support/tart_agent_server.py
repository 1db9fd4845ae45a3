# SPDX-License-Identifier: Apache-2.0
"""Tart's guest agent as far as its protocol goes, on a Unix socket, with gRPC's own server.

tart_agent_server.py SOCKET [--exec-only] [--guest FILE]

The messages are declared here a second time, with protobuf's own library. What is run is not a program but a play:
the command's name says which. With --guest it plays a few programs of a Linux guest, which sees the shared folders that
FILE tells of: {tag: [{name, path, readOnly}]}.
"""
import json
import os
import sys
import threading
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

F = descriptor_pb2.FieldDescriptorProto


def declare():
    file = descriptor_pb2.FileDescriptorProto(name="agent.proto", syntax="proto3")

    def message(into, name, *fields, one_of=None):
        made = into.add(name=name)
        if one_of:
            made.oneof_decl.add(name=one_of)
        for number, kind, field, *more in fields:
            one = made.field.add(name=field, number=number, label=F.LABEL_OPTIONAL)
            if isinstance(kind, str):
                one.type, one.type_name = F.TYPE_MESSAGE, kind
            else:
                one.type = kind
            if "repeated" in more:
                one.label = F.LABEL_REPEATED
            if one_of:
                one.oneof_index = 0
        return made

    message(file.message_type, "TerminalSize", (1, F.TYPE_UINT32, "rows"), (2, F.TYPE_UINT32, "cols"))
    message(file.message_type, "IOChunk", (1, F.TYPE_BYTES, "data"))
    request = message(file.message_type, "ExecRequest", (1, ".ExecRequest.Command", "command"), (2, ".IOChunk", "standard_input"),
                      (3, ".TerminalSize", "terminal_resize"), one_of="type")
    command = message(request.nested_type, "Command", (1, F.TYPE_STRING, "name"), (2, F.TYPE_STRING, "args", "repeated"),
                      (3, F.TYPE_BOOL, "interactive"), (4, F.TYPE_BOOL, "tty"), (5, ".TerminalSize", "terminal_size"),
                      (6, F.TYPE_BOOL, "detach"), (7, ".ExecRequest.Command.EnvEntry", "env", "repeated"),
                      (8, F.TYPE_STRING, "workdir"))
    entry = message(command.nested_type, "EnvEntry", (1, F.TYPE_STRING, "key"), (2, F.TYPE_STRING, "value"))
    entry.options.map_entry = True
    response = message(file.message_type, "ExecResponse", (1, ".ExecResponse.Exit", "exit"), (2, ".IOChunk", "standard_output"),
                       (3, ".IOChunk", "standard_error"), one_of="type")
    message(response.nested_type, "Exit", (1, F.TYPE_INT32, "code"))
    message(file.message_type, "ResolveIPResponse", (1, F.TYPE_STRING, "ip"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return [factory.GetPrototype(pool.FindMessageTypeByName(name)) for name in ("ExecRequest", "ExecResponse", "ResolveIPResponse")]


Request, Response, Address = declare()


def out(data):
    return Response(standard_output={"data": data})


def err(data):
    return Response(standard_error={"data": data})


def end(code):
    return Response(exit={"code": code})


def described(command):
    text = f"name={command.name} args={list(command.args)} interactive={command.interactive} tty={command.tty}"
    if command.HasField("terminal_size"):
        text += f" size={command.terminal_size.rows}x{command.terminal_size.cols}"
    text += f" detach={command.detach} env={sorted(dict(command.env).items())} workdir={command.workdir}"
    return text.encode() + b"\n"


def flood(size):
    block = bytes(range(256)) * 256
    for _ in range(size // len(block)):
        yield out(block)


class Guest:
    def __init__(self, folders):
        self.folders = folders
        self.mounts = {}  # place to tag

    def behind(self, path):
        """The path on this computer and whether it may be written; nothing outside of what is shared."""
        for place, tag in self.mounts.items():
            if path != place and not path.startswith(place + "/"):
                continue
            rest = path[len(place):].lstrip("/")
            with open(self.folders, encoding="utf-8") as file:
                for folder in json.load(file).get(tag, []):
                    if not folder["name"]:
                        return os.path.join(folder["path"], rest), not folder["readOnly"]
                    if rest.split("/")[0] == folder["name"]:
                        return os.path.join(folder["path"], *rest.split("/")[1:]), not folder["readOnly"]
        return None, False

    def shell(self, script, args):
        if "mount -t" in script:
            self.mounts[args[1]] = args[0]
            return 0, b""
        if "umount" in script:
            self.mounts.pop(args[0], None)
            return 0, b""
        return 2, b"a script of no play"

    def run(self, path, args):
        """Exit code and output; None when there is no such program."""
        program = os.path.basename(path)
        if program == "sh" and args[0] == "-c":  # what becomes root is handed the script
            return self.shell(args[2], args[3:])
        if program == "echo":
            return 0, " ".join(args).encode() + b"\n"
        if program in ("true", "false"):
            return int(program == "false"), b""
        if program in ("cat", "touch"):
            place, writable = self.behind(args[0])
            if not place or (program == "touch" and not writable):
                return 1, b""
            try:
                with open(place, "rb" if program == "cat" else "ab") as file:
                    return 0, file.read() if program == "cat" else b""
            except OSError:
                return 1, b""
        return None


guest = Guest(sys.argv[sys.argv.index("--guest") + 1]) if "--guest" in sys.argv else None


def play(requests, context):
    command = next(requests).command
    name, args = command.name, list(command.args)
    if guest:
        ended = guest.run(name, args)
        if ended is None:
            context.abort(grpc.StatusCode.UNKNOWN, f"fork/exec {name}: no such file or directory")
        yield out(ended[1])
        yield end(ended[0])
        return
    if name == "describe":
        yield out(described(command))
        yield err(b"to the errors\n")
        yield end(0)
    elif name == "exit":
        yield end(int(args[0]))
    elif name == "cat":
        for request in requests:
            data = request.standard_input.data
            if not data:
                break
            yield out(data)
        yield end(0)
    elif name == "count":
        total = 0
        for request in requests:
            if not request.standard_input.data:
                break
            total += len(request.standard_input.data)
        yield out(b"%d\n" % total)
        yield end(0)
    elif name == "flood":
        print("flooding", flush=True)
        yield from flood(int(args[0]))
        yield end(0)
    elif name == "large":  # one message
        yield out(b"x" * int(args[0]))
        yield end(0)
    elif name == "sizes":  # as many as it is told
        yield out(b"%dx%d\n" % (command.terminal_size.rows, command.terminal_size.cols))
        for _ in range(int(args[0])):
            for request in requests:
                if request.HasField("terminal_resize"):
                    yield out(b"%dx%d\n" % (request.terminal_resize.rows, request.terminal_resize.cols))
                    break
        yield end(0)
    elif name == "die":
        yield out(b"before\n")
        threading.Timer(0.05, os._exit, [1]).start()
        threading.Event().wait()
    elif name == "no-exit":
        yield out(b"before\n")
    elif name == "wait":  # until it is cancelled
        gone = threading.Event()
        context.add_callback(lambda: (print("cancelled", flush=True), gone.set()))
        yield out(b"waiting\n")
        gone.wait()
    else:
        context.abort(grpc.StatusCode.UNKNOWN, f'exec: "{name}": executable file not found in $PATH\x1b[31m')


def resolve(_request, _context):
    return Address(ip="192.168.64.7")


class Agent(grpc.GenericRpcHandler):
    def service(self, call):
        if call.method == "/Agent/Exec":
            return grpc.stream_stream_rpc_method_handler(play, Request.FromString, Response.SerializeToString)
        if call.method == "/Agent/ResolveIP" and "--exec-only" not in sys.argv:
            return grpc.unary_unary_rpc_method_handler(resolve, None, Address.SerializeToString)
        return None


server = grpc.server(futures.ThreadPoolExecutor(max_workers=8), handlers=[Agent()])
server.add_insecure_port("unix:" + sys.argv[1])
server.start()
print("ready", flush=True)
sys.stdin.read()  # ends with whoever started it
os._exit(0)
