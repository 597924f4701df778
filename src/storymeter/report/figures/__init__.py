"""Figures as inline SVG: text stays text, colours are the page's (light, dark, print), and every colour has a
shape beside it. Each figure is a pure function of its numbers: `charts` and `points`
draw them from `marks`, `files` writes them as SVG and PNG.
"""
