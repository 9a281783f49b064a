"""The commands: each file is one, and offers `command`, a click command."""
