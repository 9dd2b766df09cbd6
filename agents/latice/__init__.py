"""The players of Latice: they answer ``values(views)`` for the 764 micro-actions."""
