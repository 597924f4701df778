"""The report of a run: one page that says who leads, whether it is luck, on which documents, and why."""
