"""Take It Easy! as a Gymnasium environment."""
