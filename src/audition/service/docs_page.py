"""A page with all endpoints, made of the OpenAPI document: no script, and nothing from elsewhere."""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from typing import Any

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc}"
    "code{font-size:.95em}"
)
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def docs_page(document: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return the page for an OpenAPI document, and the headers it is sent with."""
    rows = "".join(
        _row(path, method, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    )
    title = escape(f"{document['info']['title']} {document['info']['version']}")
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1><p>All endpoints. What they take and answer says "
        '<a href="/openapi.json">/openapi.json</a>.</p><table><tr><th>Method</th><th>Path</th><th>What it does</th>'
        f"<th>Answers</th></tr>{rows}</table></body></html>"
    )
    policy = f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'none'"
    return page, {"Content-Security-Policy": policy}


def _row(path: str, method: str, operation: Mapping[str, Any]) -> str:
    told = escape(operation.get("description") or operation.get("summary", ""))
    statuses = escape(" ".join(operation.get("responses", {})))
    return f"<tr><td>{method.upper()}</td><td><code>{escape(path)}</code></td><td>{told}</td><td>{statuses}</td></tr>"
