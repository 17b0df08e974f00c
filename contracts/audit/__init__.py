"""SQL over the traces, as a tool and at a prompt."""
