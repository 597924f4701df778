"""A plug-in of lmms-eval (LMMS_EVAL_PLUGINS=scripted): a model that says what a file says."""

AVAILABLE_MODELS = {"scripted": "Scripted"}
