"""The pages that raters see, and the organiser's dashboard: Starlette, Jinja2, and a little JavaScript
without a build step."""
