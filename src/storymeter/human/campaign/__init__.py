"""Before and around the raters: a campaign's design, folder, clips, exports, backup and overview."""
