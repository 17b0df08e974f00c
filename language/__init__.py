"""What is known of languages and their writing; it knows nothing of the rest of the system."""
