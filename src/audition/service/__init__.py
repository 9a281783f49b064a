"""The service: datasets, cases and runs for agents and orchestrators over HTTP, with roles and durable workers.

`app` puts it together, `routes/` holds the endpoints (each file a group of them), `runs` carries runs out.
Source: evals REST API.
"""
