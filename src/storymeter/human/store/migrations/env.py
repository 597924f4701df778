"""Alembic's entry: runs the migrations on the connection that `storymeter.human.store.engines.upgrade` hands
over.
"""

from alembic import context

from storymeter.human.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
