"""What happened, and how it is kept. Imports nothing else of ours."""
