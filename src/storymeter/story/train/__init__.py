"""Training of the story models: data readers, a resumable loop, and one recipe per model."""
