"""Clients of services: each imports an SDK, when it is used, and fills a slot of the library."""
