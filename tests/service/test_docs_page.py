"""The page with all endpoints."""

from audition.service.docs_page import docs_page


def test_each_operation_has_a_row_and_text_is_escaped() -> None:
    operation = {"description": "Say <b>hello</b>.", "responses": {"200": {}, "404": {}}}
    document = {"info": {"title": "audition", "version": "1"}, "paths": {"/x/{id}": {"get": operation}}}

    page, headers = docs_page(document)

    assert "<td>GET</td><td><code>/x/{id}</code></td><td>Say &lt;b&gt;hello&lt;/b&gt;.</td><td>200 404</td>" in page
    assert "style-src 'sha256-" in headers["Content-Security-Policy"]
