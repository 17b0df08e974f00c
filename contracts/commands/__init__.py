"""The research-agent command: what each subcommand does, and how it looks in a terminal."""
