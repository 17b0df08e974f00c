"""Proof and ground truth: verifying, rating and calibrating a research."""
