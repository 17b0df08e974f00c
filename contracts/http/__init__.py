"""MCP and the page over HTTP: who may ask, how often, and how one logs in."""
