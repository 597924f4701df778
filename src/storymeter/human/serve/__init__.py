"""The pages that raters see, and the organiser's dashboard: FastAPI, Jinja2, and a little JavaScript without
a build step.
"""
