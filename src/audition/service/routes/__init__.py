"""The endpoints: each file offers `routers()`, the routers of one group of them."""

from audition.registry import Folder

ROUTES = Folder("group of endpoints", "audition.service.routes")
