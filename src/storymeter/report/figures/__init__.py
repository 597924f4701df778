"""Figures as inline SVG: text stays text, colours are the page's (light, dark, print), and every colour has a
shape beside it. Each module is one kind of figure, a pure function of its numbers.
"""
