"""The commands of the configuration judge a change, here or on a cluster."""
