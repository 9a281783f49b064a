"""The engine: plan, drive, settle, perform."""
