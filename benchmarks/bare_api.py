"""A bare FastAPI application that answers the bytes of a file: `python bare_api.py FILE` prints its port."""

import socket
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.responses import Response

app = FastAPI()
BODY = Path(sys.argv[1]).read_bytes()


@app.get("/api/v1/agents/{agent_id}/eval-datasets/{dataset_id}/runs/{run_id}")
async def run(agent_id: int, dataset_id: int, run_id: int) -> Response:  # noqa: ARG001  # read, as a real one would
    """Return the file."""
    return Response(BODY, media_type="application/json")


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as when uvicorn opens the socket itself
        print(listening.getsockname()[1], flush=True)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        server.run(sockets=[listening])
