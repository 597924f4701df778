"""After the raters: quality of raters, scores of systems, agreement, influence and plans of studies."""
