"""What each sign counts, by the generation of rules that it was learned for."""
