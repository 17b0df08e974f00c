"""Reports: how findings are written down, and how a provider's own report is held against its sources."""
