"""One package per published MCP contract (its tools, its models, its error shape), and what they share."""
