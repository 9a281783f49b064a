"""A small support desk that works by plain rules: `desk.agent.reply` is the agent."""
