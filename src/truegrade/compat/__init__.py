"""Other libraries' habits over our models: crowd-kit's classes, scikit-learn's estimators, ArviZ's draws."""
