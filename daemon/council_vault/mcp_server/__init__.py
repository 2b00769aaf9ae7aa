"""The operations as tools, and the notes as resources, for agents that speak the Model Context Protocol."""
