"""One module per published MCP contract: its tools, its models, its error shape."""
