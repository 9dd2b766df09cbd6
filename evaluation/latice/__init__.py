"""Tournaments of Latice: everybody against everybody on the same deals, from every seat."""
